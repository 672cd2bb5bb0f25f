/* The side: one event in full, the gates, and the tip that hangs over an event. */

function eventLink(e) {
	return element('button', { type: 'button', class: 'link', onclick: () => select(e) }, '#' + e.seq + ' ' + headline(e));
}

function field(list, name, value) {
	if (value !== null && value !== undefined && value !== '')
		list.append(element('dt', {}, name), element('dd', {}, value));
}

function sourceBlock(file, line) {
	const block = element('div', { class: 'source', tabindex: '0', role: 'group', 'aria-label': 'Source' });
	for (let n = line - 2; n <= line + 2; n++) {
		const text = sourceLine(file, n);
		if (text !== null)
			block.append(element('code', { class: n === line ? 'here' : '' }, element('span', {}, String(n)), text || ' '));
	}
	return block.childElementCount ? block : null;
}

function heldFor(e) {
	if (!e.hold)
		return null;
	const end = e.hold.to ? e.hold.to.t_us : duration;
	return timeText(end - e.hold.from.t_us) + (e.hold.to && e.hold.to.what === 'release' ? '' : ', never released');
}

function eventPanel(e) {
	const list = element('dl', { class: 'fields' });
	const lane = e.lane !== undefined && e.thread !== null ? lanes[e.lane] : null;
	field(list, 'Event', '#' + e.seq);
	field(list, 'Time', timeText(e.t_us));
	field(list, 'Thread', e.thread === null ? 'gatectl' : element('span', {}, lane ? chip(lane.index) : null, ' ' + e.thread + (lane && lane.name ? ' (' + lane.name + ')' : '')));
	field(list, 'Place', e.place);
	field(list, 'Gate', e.gate);
	field(list, 'Held for', heldFor(e));
	field(list, 'Text', e.text);
	field(list, 'Function', e.func);
	field(list, 'Source', e.file && e.line ? e.file + ':' + e.line : '');
	const out = [element('h2', {}, headline(e)), list];
	if (e.file && e.line)
		out.push(sourceBlock(e.file, e.line) || element('p', { class: 'quiet' }, 'The source file could not be read.'));
	const cause = bySeq.get(e.caused_by);
	if (cause)
		out.push(element('h3', {}, 'Released by'), element('p', {}, eventLink(cause)));
	if (e.causes)
		out.push(element('h3', {}, 'Releases'), ...e.causes.slice(0, 50).map(x => element('p', {}, eventLink(x))));
	if (lane && lane.thread.waiting)
		out.push(element('h3', {}, 'When the run ended'), element('p', {}, lane.thread.id + ' ' + lane.thread.why));
	return out;
}

function drawEventPanel() {
	const e = state.selected;
	$('panel-event').replaceChildren(...(e ? eventPanel(e)
		: [element('p', { class: 'quiet' }, 'Choose an event in the picture or in the table to see where it happened.')]));
}

/* ---- a crash ---- */

/* The source is shown of the innermost call that has one, the line of each other call. */
function callItem(f, i, block) {
	return element('li', {}, element('code', {}, '#' + i + '  ' + f.text), block);
}

function calls(c) {
	const own = c.backtrace.findIndex(f => f.file && f.line && sourceLine(f.file, f.line) !== null);
	return element('ol', { class: 'calls' }, ...c.backtrace.map((f, i) => callItem(f, i, i === own ? sourceBlock(f.file, f.line) : null)),
		c.cut || c.frames > c.backtrace.length ? element('li', { class: 'quiet' }, 'There are more calls.') : null);
}

function crashParts(c) {
	return [element('h2', {}, c.title),
		element('p', {}, element('button', { type: 'button', class: 'link', onclick: () => selectThread(c.thread) }, c.thread),
			' ' + (c.what || 'is ended by ' + c.signal)),
		c.where ? element('p', {}, c.where) : null, c.said ? element('p', {}, c.said) : null,
		element('h3', {}, 'Calls of ' + c.thread), calls(c),
		c.others.length ? element('h3', {}, 'Other threads') : null,
		element('ul', { class: 'waits-list' }, ...c.others.map(o => element('li', {}, o.text, waitLine(o.file, o.line, ''))))].filter(Boolean);
}

/* True: there is one to see. */
function startCrash() {
	const crashes = [data.crash, ...(data.child_crashes || [])].filter(Boolean);
	$('tab-crash').hidden = !crashes.length;
	$('panel-crash').append(...crashes.flatMap(crashParts));
	return crashes.length > 0;
}

/* ---- gates ---- */

function gateItem(g) {
	const swatch = element('canvas', { 'aria-hidden': 'true' });
	onDraw(() => bar(sized(swatch, 18, 14), 1, 1, 16, 12, g.name, false));
	const held = holds.filter(h => h.gate === g.name);
	const times = count(held.length, 'hold') +
		(held.length ? ', the longest ' + timeText(Math.round(g.held_max_ms * 1000)) : '');
	return element('li', {}, swatch,
		element('b', {}, element('button', { type: 'button', class: 'link', title: 'Search for it', onclick: () => lookFor(g.name) }, g.name)),
		element('span', { class: 'tag' + (g.open ? '' : ' bad') }, g.open ? 'open' : 'closed'),
		element('span', { class: 'quiet' }, g.kind + ' · ' + times));
}

function placeItem(p) {
	const missing = p.required && !p.reached;
	return element('li', {}, element('span', { 'aria-hidden': 'true' }, missing ? '✕' : p.reached ? '✓' : '·'),
		element('b', {}, element('button', { type: 'button', class: 'link', title: 'Search for it', onclick: () => lookFor(p.location) }, p.location)),
		element('span', { class: 'tag' + (missing ? ' bad' : '') }, missing ? 'never reached' : count(p.arrivals, 'arrival')),
		element('span', { class: 'quiet' }, p.source || '--order'));
}

function drawGatesPanel() {
	const panel = $('panel-gates');
	panel.append(element('h2', {}, 'Gates'));
	panel.append(data.gates.length ? element('ul', { class: 'gates-list' }, ...data.gates.map(gateItem))
		: element('p', { class: 'quiet' }, 'The run had no gates.'));
	if (data.places.length)
		panel.append(element('h3', {}, 'Places'), element('ul', { class: 'gates-list' }, ...data.places.map(placeItem)));
}

function lookFor(text) {
	$('search').value = text;
	find(text);
	stepHit(1);
}

/* ---- tabs ---- */

const TABS = ['crash', 'event', 'waits', 'gates'];

function openTab(name) {
	for (const t of TABS) {
		$('tab-' + t).setAttribute('aria-selected', String(t === name));
		$('tab-' + t).tabIndex = t === name ? 0 : -1;
		$('panel-' + t).hidden = t !== name;
	}
}

function startTabs() {
	for (const t of TABS) {
		$('tab-' + t).addEventListener('click', () => openTab(t));
		$('tab-' + t).addEventListener('keydown', k => {
			const by = { ArrowRight: 1, ArrowLeft: -1 }[k.key];
			const there = TABS.filter(x => !$('tab-' + x).hidden);
			if (!by)
				return;
			const next = there[(there.indexOf(t) + by + there.length) % there.length];
			openTab(next);
			$('tab-' + next).focus();
		});
	}
}

/* ---- the tip ---- */

function showTip(e, x, y) {
	const tip = $('tip'), place = placeText(e), source = place ? sourceLine(e.file, e.line) : null;
	tip.replaceChildren(element('b', {}, headline(e)),
		element('div', {}, '#' + e.seq + ' · ' + timeText(e.t_us) + (e.hold ? ' · held ' + heldFor(e) : '')),
		place || e.place ? element('div', {}, [place, e.func ? 'in ' + e.func : '', e.place ? '(' + e.place + ')' : ''].filter(Boolean).join(' ')) : '',
		source !== null ? element('code', {}, source.trim()) : '');
	tip.hidden = false;
	const box = tip.getBoundingClientRect();
	tip.style.left = Math.max(8, Math.min(x + 14, innerWidth - box.width - 8)) + 'px';
	tip.style.top = (y + 18 + box.height > innerHeight ? Math.max(8, y - box.height - 14) : y + 18) + 'px';
}

function hideTip() {
	$('tip').hidden = true;
}
