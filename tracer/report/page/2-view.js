/* What part of the run is seen, in which axis, and where on the screen. */

const LANE = 42, PROCESS = 24, MARGIN = 14;
const view = { axis: TIME, from: 0, to: 1, top: 0, width: 100, height: 100, arrows: true };
const state = { selected: null, over: null, lane: null };
const listeners = [];
let colours = {}, drawing = false;

/* Things that are drawn anew when the view or the state has changed. */
function onDraw(f) {
	listeners.push(f);
}

let frame = 0;

function drawNow() {
	cancelAnimationFrame(frame);
	drawing = false;
	for (const f of listeners)
		f();
}

function redraw() {
	if (!drawing) {
		drawing = true;
		frame = requestAnimationFrame(drawNow);
	}
}

/* ---- the axis ---- */

function whole() {
	const s = span[view.axis];
	return { from: -s * 0.01, to: s * 1.01 };
}

function smallest() {
	return view.axis === TIME ? 20 : 8; /* µs, events */
}

function toX(value) {
	return MARGIN + (value - view.from) / (view.to - view.from) * (view.width - 2 * MARGIN);
}

function toValue(x) {
	return view.from + (x - MARGIN) / (view.width - 2 * MARGIN) * (view.to - view.from);
}

function show(from, to) {
	const all = whole();
	const width = Math.min(Math.max(to - from, smallest()), all.to - all.from);
	const centre = (from + to) / 2;
	view.from = Math.min(Math.max(centre - width / 2, all.from), all.to - width);
	view.to = view.from + width;
	redraw();
}

function fit() {
	const all = whole();
	show(all.from, all.to);
}

function zoom(factor, x) {
	const at = toValue(x === undefined ? view.width / 2 : x);
	show(at - (at - view.from) / factor, at + (view.to - at) / factor);
}

function pan(pixels) {
	const by = pixels / (view.width - 2 * MARGIN) * (view.to - view.from);
	const all = whole(), width = view.to - view.from;
	view.from = Math.min(Math.max(view.from + by, all.from), all.to - width);
	view.to = view.from + width;
	redraw();
}

function zoomFactor() {
	const all = whole();
	return (all.to - all.from) / (view.to - view.from);
}

/* The same events stay in sight when the axis changes. */
function setAxis(axis) {
	const seen = events.filter(e => e.at[view.axis] >= view.from && e.at[view.axis] <= view.to);
	const all = zoomFactor() < 1.001;
	view.axis = axis;
	if (all || !seen.length) {
		fit();
	} else {
		const from = seen[0].at[axis], to = seen[seen.length - 1].at[axis];
		show(from - (to - from) * 0.05, to + (to - from) * 0.05);
	}
}

/* ---- lanes ---- */

let spaceHeight = 0;

function placeLanes() {
	let y = 0, pid = null;
	for (const l of lanes) {
		if (processes > 1 && l.thread.pid !== pid)
			y += PROCESS;
		pid = l.thread.pid;
		l.y = y;
		y += LANE;
	}
	spaceHeight = y;
}

function laneAt(y) {
	const absolute = y + view.top;
	return lanes.find(l => absolute >= l.y && absolute < l.y + LANE) || null;
}

function centreY(lane) {
	return lane.y - view.top + LANE / 2;
}

/* The index of the first event of the lane at or after this number on the axis. */
function firstAt(list, value) {
	let low = 0, high = list.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (list[middle].at[view.axis] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- bringing an event into sight ---- */

function reveal(e) {
	const at = e.at[view.axis], width = view.to - view.from;
	if (at < view.from + width * 0.04 || at > view.to - width * 0.04)
		show(at - width / 2, at + width / 2);
	if (e.lane === undefined)
		return;
	const lane = lanes[e.lane], scroller = $('scroller');
	if (lane.y < view.top)
		scroller.scrollTop = lane.y;
	else if (lane.y + LANE > view.top + view.height)
		scroller.scrollTop = lane.y + LANE - view.height;
}

/* ---- colours are the style sheet's ---- */

function readColours() {
	const style = getComputedStyle(document.documentElement);
	for (const name of ['panel', 'stripe', 'line', 'line-soft', 'text', 'muted', 'accent', 'accent-soft',
		'mark', 'life', 'hit', 'bad', 'bad-line', 'bad-soft', 'on-bar', 'page', 'warn'])
		colours[name] = style.getPropertyValue('--' + name).trim();
	colours.gates = [];
	for (let i = 0; i < GATE_COLOURS; i++)
		colours.gates.push(style.getPropertyValue('--gate-' + i).trim());
	colours.threads = [];
	for (let i = 0; i < THREAD_COLOURS; i++)
		colours.threads.push(style.getPropertyValue('--thread-' + i).trim());
}

function gateColour(name) {
	const i = name === null ? -1 : gateIndex(name);
	return i < 0 ? colours.mark : colours.gates[i];
}
