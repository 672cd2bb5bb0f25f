/* Search: every word has to be found in what an event says: thread, place, gate, file:line, text. */

const search = { hits: [], at: -1, text: '' };

function haystack(e) {
	if (e.hay === undefined) {
		const thread = e.lane !== undefined ? lanes[e.lane] : null;
		const source = e.file && e.line ? sourceLine(e.file, e.line) : null;
		e.hay = [e.thread, thread && thread.name, e.what, word(e), e.place, e.gate, e.text, e.func,
			e.file && e.line ? e.file + ':' + e.line : '', source, '#' + e.seq].filter(Boolean).join('\n').toLowerCase();
	}
	return e.hay;
}

function find(text) {
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);
	search.text = text;
	search.at = -1;
	search.hits = [];
	for (const e of events) {
		e.hit = words.length > 0 && words.every(w => haystack(e).includes(w));
		if (e.hit)
			search.hits.push(e);
	}
	sayCount();
	redraw();
}

function sayCount() {
	const n = search.hits.length;
	$('search-count').textContent = !search.text.trim() ? ''
		: !n ? 'no hits' : search.at < 0 ? count(n, 'hit') : (search.at + 1) + ' of ' + n;
}

function stepHit(by) {
	const n = search.hits.length;
	if (!n)
		return;
	if (search.at < 0 && state.selected) /* from where one is */
		search.at = by > 0 ? search.hits.findIndex(e => e.index >= state.selected.index) - by
			: search.hits.findLastIndex(e => e.index <= state.selected.index) - by;
	search.at = search.at < 0 && by < 0 ? n - 1 : ((search.at + by) % n + n) % n;
	sayCount();
	select(search.hits[search.at]);
}
