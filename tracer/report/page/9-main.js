/* The page is put together; what the mouse and the keys do. */

function select(e) {
	state.selected = e;
	if (e) {
		reveal(e);
		revealRow(e);
		openTab('event');
		$('spoken').textContent = sentence(e);
	}
	drawEventPanel();
	redraw();
}

function selectThread(id) {
	const lane = lanes[laneOf.get(id)];
	const scroller = $('scroller');
	state.lane = lane.index;
	scroller.scrollTop = Math.max(0, lane.y - view.height / 2);
	for (const li of $('labels').children)
		li.classList.toggle('selected', li.dataset.lane === String(lane.index));
	for (const li of document.querySelectorAll('.waits-list li')) {
		li.classList.toggle('selected', li.dataset.thread === id);
		if (li.dataset.thread === id)
			li.scrollIntoView({ block: 'nearest' });
	}
	redraw();
}

function chooseThread(lane) {
	if (lane.thread.waiting)
		openTab('waits');
	else if (lane.events.length)
		select(lane.events[0]);
	selectThread(lane.thread.id);
}

/* ---- the head ---- */

/* Shows the verdict: a word, its subject, and the line below. A crash is headed by its title, also where the script
   expects it; another note ("as expected, a deadlock: ...") by its begin. */
function headParts(lines, good, own) {
	const first = lines[0].replace(/^gatectl: [a-z-]+: /, ''), c = data.crash;
	if (c && (data.verdict === 'crashed' || c.expected))
		return [c.expected ? 'crashed as expected' : data.verdict, c.title, c.thread + ' ' + (c.what || 'is ended by ' + c.signal)];
	const end = first.indexOf(': ');
	if (good && data.note && end > 0)
		return [first.slice(0, end), '', first.slice(end + 2)];
	return [own ? 'status ' + data.status : data.verdict, '',
		first || (good ? 'The run ended by itself, and every gate was met.' : 'The program ended with status ' + data.status + '.')];
}

/* A run that never began has nothing to draw: its text is the page. */
function startEmpty() {
	const empty = !events.length && !lanes.length;
	document.body.classList.toggle('empty', empty);
	$('verdict-more').open = empty;
}

/* Scrollable parts can be reached by keys. */
function fitVerdict() {
	const line = $('verdict-line');
	if (line.scrollHeight > line.clientHeight + 1)
		line.tabIndex = 0;
	else
		line.removeAttribute('tabindex');
}

function startVerdict() {
	const box = $('verdict'), good = data.status === 0, own = data.verdict === 'ok' && !good;
	const text = (data.note || '') + data.message, lines = text.split('\n');
	const [word, what, line] = headParts(lines, good, own);
	box.classList.toggle('good', good);
	box.classList.toggle('own', own);
	$('verdict-icon').textContent = good ? '✓' : own ? '!' : '✕';
	$('verdict-word').textContent = word;
	$('verdict-what').textContent = what ? ': ' + what : '';
	$('verdict-status').textContent = own ? '' : 'gatectl’s exit status: ' + data.status;
	$('verdict-line').textContent = line;
	$('verdict-text').textContent = text;
	$('verdict-more').hidden = lines.filter(Boolean).length < 2;
	$('fact-command').textContent = data.command.join(' ');
	$('fact-command').title = data.command.join(' ');
	$('fact-events').textContent = grouped(events.length) + (data.events_dropped ? ' (' + grouped(data.events_dropped) + ' more were dropped)' : '');
	$('fact-threads').textContent = data.threads.length;
	$('fact-duration').textContent = timeText(duration);
	document.title = programName() + ': ' + word + (what ? ': ' + what : '') + ' (gatectl)';
	fitVerdict();
}

function label(l) {
	const w = l.thread.waiting;
	const below = w ? (w.in_cycle ? '⟲ in the cycle: ' : '') + w.text : l.name || l.thread.state;
	const li = element('li', { title: l.thread.id + (l.name ? ' (' + l.name + ')' : '') + ': ' + l.thread.why },
		chip(l.index), element('div', {}, element('b', {}, elided(l.thread.id + (w && l.name ? ' (' + l.name + ')' : ''))), element('i', {}, below)));
	li.style.top = l.y + 'px';
	li.style.height = LANE + 'px';
	li.dataset.lane = l.index;
	li.classList.toggle('cycle', Boolean(w && w.in_cycle));
	return li;
}

function startLabels() {
	let pid = null;
	for (const l of lanes) {
		if (processes > 1 && l.thread.pid !== pid) {
			const prefix = l.thread.id.includes('/') ? l.thread.id.slice(0, l.thread.id.indexOf('/')) + ' · ' : '';
			const li = element('li', { class: 'process' }, prefix + 'process ' + l.thread.pid);
			li.style.top = l.y - PROCESS + 'px';
			li.style.height = PROCESS + 'px';
			$('labels').append(li);
		}
		pid = l.thread.pid;
		$('labels').append(label(l));
	}
	$('labels').addEventListener('click', k => {
		const li = k.target.closest('li[data-lane]');
		if (li)
			chooseThread(lanes[li.dataset.lane]);
	});
	$('space').style.height = spaceHeight + 'px';
	$('lanes').style.height = spaceHeight + 28 + 34 + 2 + 'px';
}

function startLegend() {
	const kinds = [['arrival', 'arrives at a place'], ['hold', 'is held: a bar in the gate’s colour'], ['open', 'opens a gate; arrows to the threads that it releases'],
		['release', 'is released'], ['thread-start', 'thread starts'], ['thread-exit', 'thread exits'], ['event', 'event of an order'], ['log', 'log text'],
		['step', 'step of a schedule'],
		['fork', 'fork'], ['exec', 'exec'], ['signal', 'signal'], ['kill', 'killed by the script'], ['crash', 'a signal ends the process']];
	const grid = element('div', { class: 'legend-grid' });
	const gate = data.gates.length ? data.gates[0].name : null;
	const add = (draw, text) => {
		const c = element('canvas', { 'aria-hidden': 'true' });
		onDraw(() => $('legend').open && draw(sized(c, 36, 20)));
		grid.append(c, element('span', {}, text));
	};
	for (const [what, text] of kinds)
		add(c => {
			if (what === 'hold')
				bar(c, 2, 2, 32, 16, gate, false);
			drawMark(c, { what, gate }, what === 'hold' ? 2 : 18, 10);
		}, text);
	add(c => bar(c, 2, 2, 34, 16, gate, true), 'held, and never released');
	$('legend-body').append(grid, element('div', { class: 'quiet' },
		element('kbd', {}, '/'), ' search  ', element('kbd', {}, '+'), ' ', element('kbd', {}, '−'), ' ', element('kbd', {}, '0'), ' zoom  ',
		element('kbd', {}, '←'), ' ', element('kbd', {}, '→'), ' next event  ', element('kbd', {}, '↑'), ' ', element('kbd', {}, '↓'), ' next thread  wheel: zoom, drag: move'));
	$('legend').addEventListener('toggle', redraw);
	document.addEventListener('click', k => {
		if (!$('legend').contains(k.target))
			$('legend').open = false;
	});
}

/* ---- what is under the mouse ---- */

function nearestMark(lane, x) {
	let best = null, distance = 9;
	const to = firstAt(lane.events, toValue(x + distance));
	for (let i = firstAt(lane.events, toValue(x - distance)); i < to; i++) {
		const e = lane.events[i], d = Math.abs(toX(e.at[view.axis]) - x) + (e.what === 'hold' ? 0.4 : 0);
		if (d < distance) {
			best = e;
			distance = d;
		}
	}
	return best;
}

function eventAt(x, y) {
	const lane = laneAt(y);
	if (!lane)
		return null;
	const mark = nearestMark(lane, x);
	if (mark)
		return mark;
	const value = toValue(x);
	const hold = lane.holds.find(h => h.from.at[view.axis] <= value && (h.to ? h.to.at[view.axis] : span[view.axis]) >= value);
	return hold && Math.abs(y - centreY(lane)) < 11 ? hold.from : null;
}

function hover(k) {
	const box = picture.getBoundingClientRect();
	const e = eventAt(k.clientX - box.left, k.clientY - box.top);
	picture.classList.toggle('over', Boolean(e));
	if (e)
		showTip(e, k.clientX, k.clientY);
	else
		hideTip();
	if (e !== state.over) {
		state.over = e;
		redraw();
	}
}

function leave() {
	state.over = null;
	hideTip();
	redraw();
}

/* ---- drag, wheel ---- */

const drag = { on: false, moved: false, x: 0, y: 0 };

function startDrag() {
	picture.addEventListener('pointerdown', k => {
		Object.assign(drag, { on: true, moved: false, x: k.clientX, y: k.clientY });
		picture.setPointerCapture(k.pointerId);
	});
	picture.addEventListener('pointermove', k => {
		if (!drag.on) {
			hover(k);
			return;
		}
		if (Math.abs(k.clientX - drag.x) + Math.abs(k.clientY - drag.y) > (drag.moved ? 0 : 4)) {
			drag.moved = true;
			picture.classList.add('dragging');
			hideTip();
			pan(drag.x - k.clientX);
			$('scroller').scrollTop += drag.y - k.clientY;
			drag.x = k.clientX;
			drag.y = k.clientY;
		}
	});
	picture.addEventListener('pointerup', k => {
		drag.on = false;
		picture.classList.remove('dragging');
		if (!drag.moved) {
			hover(k);
			if (state.over)
				select(state.over);
		}
	});
	picture.addEventListener('pointerleave', leave);
	picture.addEventListener('blur', leave);
	picture.addEventListener('wheel', k => {
		if (k.shiftKey)
			return; /* the browser scrolls */
		k.preventDefault();
		if (Math.abs(k.deltaX) > Math.abs(k.deltaY))
			pan(k.deltaX);
		else
			zoom(Math.exp(-Math.max(-120, Math.min(120, k.deltaY)) * 0.0035), k.clientX - picture.getBoundingClientRect().left);
		hover(k);
	}, { passive: false });
}

function startOverview() {
	const go = k => {
		const all = whole(), x = k.clientX - overview.getBoundingClientRect().left;
		const at = all.from + (x - MARGIN) / (view.width - 2 * MARGIN) * (all.to - all.from), width = view.to - view.from;
		show(at - width / 2, at + width / 2);
	};
	overview.addEventListener('pointerdown', k => {
		overview.setPointerCapture(k.pointerId);
		go(k);
	});
	overview.addEventListener('pointermove', k => k.buttons && go(k));
}

/* ---- keys ---- */

function stepEvent(by) {
	const from = state.selected;
	const list = from && from.lane !== undefined ? lanes[from.lane].events : events;
	const at = from ? list.indexOf(from) + by : by > 0 ? 0 : list.length - 1;
	if (list[at])
		select(list[at]);
}

/* The event of the next lane that is nearest on the axis. */
function stepLane(by) {
	const from = state.selected;
	let i = from && from.lane !== undefined ? from.lane + by : 0;
	while (lanes[i] && !lanes[i].events.length)
		i += by || 1;
	if (!lanes[i])
		return;
	const list = lanes[i].events, at = from ? firstAt(list, from.at[view.axis]) : 0;
	const a = list[Math.max(0, at - 1)], b = list[Math.min(at, list.length - 1)];
	const value = from ? from.at[view.axis] : 0;
	select(Math.abs(a.at[view.axis] - value) < Math.abs(b.at[view.axis] - value) ? a : b);
}

function tipForSelected() {
	const e = state.selected;
	if (!e || e.lane === undefined)
		return;
	const box = picture.getBoundingClientRect();
	showTip(e, box.left + toX(e.at[view.axis]), box.top + centreY(lanes[e.lane]));
}

function pictureKey(k) {
	const moves = { ArrowRight: () => stepEvent(1), ArrowLeft: () => stepEvent(-1), ArrowDown: () => stepLane(1), ArrowUp: () => stepLane(-1) };
	if (!moves[k.key])
		return;
	moves[k.key]();
	tipForSelected();
	k.preventDefault();
}

function pageKey(k) {
	if (k.ctrlKey || k.metaKey || k.altKey)
		return;
	if (k.key === 'Escape') {
		hideTip();
		$('legend').open = false;
	}
	if (k.target.closest('input, select'))
		return;
	const moves = { '+': () => zoom(1.5), '=': () => zoom(1.5), '-': () => zoom(1 / 1.5), '_': () => zoom(1 / 1.5), '0': fit, '/': () => $('search').focus() };
	if (moves[k.key]) {
		moves[k.key]();
		k.preventDefault();
	}
}

/* ---- tools ---- */

function chooseAxis(axis) {
	setAxis(axis);
	$('axis-time').setAttribute('aria-checked', String(axis === TIME));
	$('axis-order').setAttribute('aria-checked', String(axis === ORDER));
	$('axis-time').tabIndex = axis === TIME ? 0 : -1;
	$('axis-order').tabIndex = axis === ORDER ? 0 : -1;
}

function startTools() {
	$('search').addEventListener('input', () => find($('search').value));
	$('search').addEventListener('keydown', k => {
		if (k.key === 'Enter' && k.shiftKey) {
			stepHit(-1);
			k.preventDefault();
		}
	});
	$('search-form').addEventListener('submit', k => {
		k.preventDefault();
		stepHit(1);
	});
	$('search-previous').addEventListener('click', () => stepHit(-1));
	$('axis-time').addEventListener('click', () => chooseAxis(TIME));
	$('axis-order').addEventListener('click', () => chooseAxis(ORDER));
	for (const [id, other, axis] of [['axis-time', 'axis-order', ORDER], ['axis-order', 'axis-time', TIME]])
		$(id).addEventListener('keydown', k => {
			if (k.key === 'ArrowLeft' || k.key === 'ArrowRight') {
				chooseAxis(axis);
				$(other).focus();
			}
		});
	$('zoom-in').addEventListener('click', () => zoom(1.5));
	$('zoom-out').addEventListener('click', () => zoom(1 / 1.5));
	$('zoom-fit').addEventListener('click', fit);
	$('arrows').addEventListener('change', () => {
		view.arrows = $('arrows').checked;
		redraw();
	});
	document.addEventListener('keydown', pageKey);
	picture.addEventListener('keydown', pictureKey);
}

/* ---- light and dark ---- */

const prefersDark = matchMedia('(prefers-color-scheme: dark)');

function applyTheme() {
	const wish = $('theme').value;
	document.documentElement.classList.toggle('dark', !printing && (wish === 'dark' || (wish === 'auto' && prefersDark.matches)));
	stripes.clear();
	readColours();
	redraw();
}

/* A page from disk may have no storage. */
function startTheme() {
	try {
		$('theme').value = localStorage.getItem('gatectl-theme') || 'auto';
	} catch (e) { /* then it is what the system prefers */ }
	$('theme').addEventListener('change', () => {
		try {
			localStorage.setItem('gatectl-theme', $('theme').value);
		} catch (e) { /* for this time only */ }
		applyTheme();
	});
	prefersDark.addEventListener('change', applyTheme);
	applyTheme();
}

/* ---- print: light, with every row, at the width of a sheet (.print in the style sheet) ---- */

function setPrint(on) {
	printing = on;
	document.documentElement.classList.toggle('print', on);
	$('verdict-more').open = on || document.body.classList.contains('empty');
	firstRow = -1;
	applyTheme();
	drawNow();
}

function startPrint() {
	addEventListener('beforeprint', () => setPrint(true));
	addEventListener('afterprint', () => setPrint(false));
}

function drawAll() {
	measure();
	drawPicture();
	drawOverview();
	const factor = zoomFactor();
	$('zoom-level').textContent = (factor < 9.95 ? factor.toFixed(1).replace(/\.0$/, '') : grouped(Math.round(factor))) + '×';
}

/* An observer's first call tells of no change. */
function onResize(box) {
	let width = box.clientWidth, height = box.clientHeight;
	new ResizeObserver(() => {
		if (width !== box.clientWidth || height !== box.clientHeight)
			redraw();
		width = box.clientWidth;
		height = box.clientHeight;
	}).observe(box);
}

function start() {
	startTheme();
	startVerdict();
	startEmpty();
	placeLanes();
	startLabels();
	measure();
	onDraw(drawAll);
	startTable();
	startTabs();
	startDrag();
	startOverview();
	startTools();
	startLegend();
	drawGatesPanel();
	drawEventPanel();
	const waits = startGraph();
	openTab(startCrash() ? 'crash' : waits ? 'waits' : 'event');
	$('scroller').addEventListener('scroll', redraw);
	chooseAxis(TIME);
	drawNow();
	onResize($('scroller'));
	onResize(rows);
	startPrint();
	document.documentElement.dataset.drawn = (performance.now() - started).toFixed(1);
}

/* For tests: where an event is on the screen. */
window.timeline = {
	where(seq) {
		const e = bySeq.get(seq), box = picture.getBoundingClientRect();
		return { x: box.left + toX(e.at[view.axis]), y: box.top + centreY(lanes[e.lane]) };
	},
	view, state,
};

start();
