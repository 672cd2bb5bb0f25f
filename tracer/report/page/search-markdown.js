/* The Markdown that gatectl writes (README.md of a violation): headings, paragraphs, lists, code. */

/* Code spans, between as many backticks as they begin with; a blank at both ends is no part of them. */
function spans(text) {
	const parts = text.split(/(?<!`)(`+)(?!`)(.*?[^`])\1(?!`)/), found = [];
	for (let i = 0; i < parts.length; i += 3) {
		found.push(parts[i]);
		if (i + 2 < parts.length)
			found.push(element('code', {}, parts[i + 2].replace(/^ (.*) $/, '$1')));
	}
	return found;
}

function block(text) {
	if (text.startsWith('```'))
		return wide('Code', element('pre', { class: 'plain' }, text.replace(/^```.*\n/, '').replace(/\n?```$/, '')));
	if (text.startsWith('#'))
		return element('h3', {}, ...spans(text.replace(/^#+ /, '')));
	if (text.startsWith('- '))
		return element('ul', {}, ...text.slice(2).split('\n- ').map(item => element('li', {}, ...spans(item))));
	return element('p', {}, ...spans(text));
}

/* Blocks are separated by empty lines, of which a code fence may have some. */
function markdown(text) {
	return (text.match(/^```[^]*?^```$|^[^\n](?:.|\n(?!\n))*/gm) || []).map(x => block(x.trim()));
}
