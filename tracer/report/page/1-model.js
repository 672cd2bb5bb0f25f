/* The record as the page needs it: lanes, holds, arrows. Names and texts in it come from the program
   and are not to be trusted: they become text (textContent, fillText), never markup. */

const started = performance.now();
const $ = id => document.getElementById(id);
const data = JSON.parse($('data').textContent);
const events = data.events;
const TIME = 0, ORDER = 1;

/* ---- lanes, by process ---- */

const lanes = [];
const laneOf = new Map();

function buildLanes() {
	const pids = [...new Set(data.threads.map(t => t.pid))];
	for (const pid of pids)
		for (const t of data.threads)
			if (t.pid === pid) {
				laneOf.set(t.id, lanes.length);
				lanes.push({ thread: t, index: lanes.length, events: [], holds: [], from: null, to: null,
					name: t.name && !programName().startsWith(t.name) ? t.name : '' });
			}
	return pids.length;
}

function programName() {
	return data.program.slice(data.program.lastIndexOf('/') + 1);
}

/* ---- events: a lane, and a number on each axis ---- */

const bySeq = new Map();
const holds = [], arrows = [];

function buildEvents() {
	events.forEach((e, i) => {
		e.index = i;
		e.at = [e.t_us, i + 1];
		bySeq.set(e.seq, e);
		const cause = bySeq.get(e.caused_by);
		e.lane = e.thread !== null ? laneOf.get(e.thread) : cause ? cause.lane : undefined;
		if (e.lane !== undefined)
			addToLane(lanes[e.lane], e, cause);
	});
	for (const l of lanes)
		endHold(l, null);
}

function endHold(lane, event) {
	if (lane.open)
		lane.open.to = event;
	lane.open = null;
}

function addToLane(lane, e, cause) {
	lane.events.push(e);
	lane.from = lane.from || e;
	if (e.what === 'hold') {
		endHold(lane, e);
		lane.open = { lane: lane.index, from: e, to: null, gate: e.gate };
		lane.holds.push(lane.open);
		holds.push(lane.open);
		e.hold = lane.open;
	} else if (e.what === 'release' || e.what === 'thread-exit') {
		e.hold = lane.open;
		endHold(lane, e);
	}
	if (e.what === 'thread-exit')
		lane.to = e;
	if (e.what === 'release' && cause && cause.lane !== undefined) {
		(cause.causes = cause.causes || []).push(e);
		if (cause.lane !== e.lane)
			arrows.push({ from: cause, to: e, gate: e.gate });
	}
}

const processes = buildLanes();
buildEvents();

const lastEvent = events[events.length - 1];
const duration = Math.max(data.duration_us || 0, lastEvent ? lastEvent.t_us : 0, 1);

/* ---- time in which nothing happens is folded ---- */

/* A gap is folded when it is much longer than all shorter ones together: sleeps, not work. It keeps a
   width of its own, so that it is seen. Each fold: from, to, and how much shorter it is drawn. */
const FOLD_LEAST = 10000; /* µs */
const folds = [];

function findFolds() {
	const times = [0, ...events.map(e => e.t_us), duration].sort((a, b) => a - b);
	const gaps = times.slice(1).map((to, i) => ({ from: times[i], to, length: to - times[i] }));
	let busy = 0, limit = Infinity;
	for (const g of gaps.slice().sort((a, b) => a.length - b.length)) {
		if (g.length > FOLD_LEAST && g.length > 2 * busy && busy > 0) {
			limit = g.length;
			break;
		}
		busy += g.length;
	}
	for (const g of gaps)
		if (g.length >= limit)
			folds.push({ from: g.from, to: g.to, cut: g.length - Math.max(busy * 0.15, 1) });
}

/* Where a moment (µs) is drawn, and which moment is drawn there. */
function folded(us) {
	let at = us;
	for (const f of folds)
		if (us > f.from)
			at -= f.cut * Math.min((us - f.from) / (f.to - f.from), 1);
	return at;
}

findFolds();
for (const e of events)
	e.at[TIME] = folded(e.t_us);
const span = [folded(duration), events.length + 1];

/* ---- gates have a colour, and the same one everywhere ---- */

const gateNumber = new Map();
data.gates.forEach((g, i) => gateNumber.set(g.name, i));
const GATE_COLOURS = 8;

function gateIndex(name) {
	return gateNumber.has(name) ? gateNumber.get(name) % GATE_COLOURS : -1;
}

/* ---- words: those of the text of a verdict ---- */

const WORDS = {
	'arrival': 'arrives', 'hold': 'is held', 'release': 'is released', 'open': 'opens', 'event': 'event', 'step': 'step:',
	'log': 'log', 'thread-start': 'starts', 'thread-exit': 'exits', 'fork': 'forks', 'exec': 'execs',
	'signal': 'gets signal', 'kill': 'is killed by', 'crash': 'crashes:',
};

function word(e) {
	return WORDS[e.what] || e.what;
}

/* Files are shown as far as they differ: without the directory that all have in common. */
const shortFile = (() => {
	const files = Object.keys(data.sources || {});
	const known = new Set(files);
	for (const e of events)
		if (e.file && !known.has(e.file)) {
			known.add(e.file);
			files.push(e.file);
		}
	let common = files.length ? files[0].slice(0, files[0].lastIndexOf('/') + 1) : '';
	for (const f of files)
		while (common && !f.startsWith(common))
			common = common.slice(0, common.lastIndexOf('/', common.length - 2) + 1);
	return f => common && f.startsWith(common) ? f.slice(common.length) : f;
})();

function placeText(e) {
	return e.file && e.line ? shortFile(e.file) + ':' + e.line : '';
}

function sourceLine(file, line) {
	const lines = data.sources && data.sources[file];
	return lines && lines[line] !== undefined ? lines[line] : null;
}

function timeText(us) {
	if (us < 1000)
		return us + ' µs';
	if (us < 1e6)
		return (us / 1000).toFixed(3) + ' ms';
	return (us / 1e6).toFixed(6) + ' s';
}

function headline(e) {
	if (e.what === 'passed')
		return grouped(e.times) + ' arrivals without consequence';
	const parts = [e.thread === null ? 'gatectl' : e.thread, word(e)];
	if (e.gate !== null)
		parts.push((e.what === 'open' ? 'gate ' : 'by gate ') + e.gate);
	else if (e.what === 'hold')
		parts.push('by a function of the script');
	if (e.text !== undefined)
		parts.push(e.text);
	return parts.join(' ');
}

function sentence(e) {
	return headline(e) + (e.place ? ' at ' + e.place : '') + (placeText(e) ? ', ' + placeText(e) : '');
}
