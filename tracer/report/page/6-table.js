/* The table of events: rows exist only where they are in sight, except in print. A narrow page has two lines a row. */

const narrow = matchMedia('screen and (max-width: 600px)');
const rows = $('rows'), rowsSpace = $('rows-space');
let firstRow = -1, lastRow = -1, printing = false;

function rowHeight() {
	return narrow.matches ? 44 : 27;
}

function cell(text, title) {
	const x = element('span', { role: 'gridcell' }, text);
	if (title)
		x.title = title;
	return x;
}

/* The directory gives way where there is no room; file and line never do. */
function placeCell(e) {
	const place = placeText(e), cut = place.lastIndexOf('/') + 1;
	const x = cell('', e.file && e.line ? e.file + ':' + e.line : '');
	x.className = 'place';
	x.append(element('span', { class: 'directory' }, place.slice(0, cut)), element('span', {}, place.slice(cut)));
	return x;
}

function measurePlaces() {
	const c = document.createElement('canvas').getContext('2d');
	c.font = '12px ui-monospace, "DejaVu Sans Mono", monospace';
	let longest = '';
	for (const e of events) {
		const place = placeText(e), text = place.slice(place.lastIndexOf('/') + 1);
		if (text.length > longest.length)
			longest = text;
	}
	$('rows').parentElement.style.setProperty('--place', Math.ceil(c.measureText(longest).width) + 4 + 'px');
}

function makeRow(e) {
	const text = e.text !== undefined ? (e.place ? e.place + ' · ' : '') + e.text : e.place || '';
	const row = element('div', { class: 'row', role: 'row', id: 'row-' + e.seq, 'aria-rowindex': e.index + 1 },
		cell(String(e.seq)), cell(timeText(e.t_us)), cell(threadText(laneOf.get(e.thread), e.thread === null ? 'gatectl' : e.thread)), cell(word(e)),
		cell(elided(text), text), cell(elided(e.gate || '')), placeCell(e));
	row.style.top = e.index * rowHeight() + 'px';
	row.dataset.index = e.index;
	return row;
}

function markRows() {
	for (const row of rowsSpace.children) {
		const e = events[row.dataset.index];
		row.classList.toggle('selected', e === state.selected);
		row.classList.toggle('over', e === state.over);
		row.classList.toggle('hit', Boolean(e.hit));
		row.setAttribute('aria-selected', String(e === state.selected));
	}
}

function drawRows() {
	const from = printing ? 0 : Math.max(0, Math.floor(rows.scrollTop / rowHeight()) - 4);
	const to = printing ? events.length : Math.min(events.length, Math.ceil((rows.scrollTop + rows.clientHeight) / rowHeight()) + 4);
	if (from !== firstRow || to !== lastRow) {
		firstRow = from;
		lastRow = to;
		rowsSpace.replaceChildren(...events.slice(from, to).map(makeRow));
	}
	markRows();
}

function revealRow(e) {
	const height = rowHeight(), top = e.index * height;
	if (top < rows.scrollTop + height || top + 2 * height > rows.scrollTop + rows.clientHeight)
		rows.scrollTop = top - rows.clientHeight / 2 + height;
	drawRows();
	rows.setAttribute('aria-activedescendant', 'row-' + e.seq);
}

function rowKey(k) {
	const page = Math.max(1, Math.floor(rows.clientHeight / rowHeight()) - 1);
	const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -events.length, End: events.length };
	if (!(k.key in moves) || !events.length)
		return;
	const from = state.selected ? state.selected.index : moves[k.key] > 0 ? -1 : events.length;
	const at = from + moves[k.key];
	select(events[Math.min(Math.max(at, 0), events.length - 1)]);
	k.preventDefault();
}

function layOutRows() {
	rowsSpace.style.height = events.length * rowHeight() + 'px';
	firstRow = -1;
	redraw();
}

function startTable() {
	measurePlaces();
	layOutRows();
	narrow.addEventListener('change', layOutRows);
	rows.setAttribute('aria-rowcount', events.length);
	rows.addEventListener('scroll', drawRows);
	rows.addEventListener('keydown', rowKey);
	rows.addEventListener('click', k => {
		const row = k.target.closest('.row');
		if (row)
			select(events[row.dataset.index]);
	});
	onDraw(drawRows);
}
