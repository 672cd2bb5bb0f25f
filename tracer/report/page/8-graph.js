/* A graph of what each thread waited for when the run ended: threads are boxes, locks and gates have cut
   corners, an arrow says what for. The cycle goes down on the left and up on the right. */

const NODE_W = 124, NODE_H = 44, PITCH = 88, LEFT = 22, RIGHT = 218, GRAPH_W = 364, MOST_NODES = 60;
const HELD_BY = { mutex: 'held by', rwlock: 'held by', gate: 'opened by', condition: 'signalled by' };

function svg(tag, properties, ...children) {
	const x = document.createElementNS('http://www.w3.org/2000/svg', tag);
	for (const [k, v] of Object.entries(properties || {}))
		x.setAttribute(k, v);
	x.append(...children);
	return x;
}

/* ---- nodes and edges ---- */

const graph = { nodes: new Map(), edges: [] };

function threadNode(t) {
	const key = 'thread ' + t.id, w = t.waiting;
	if (!graph.nodes.has(key))
		graph.nodes.set(key, { key, thread: t, name: t.id, out: [], cycle: Boolean(w && w.in_cycle),
			below: w && w.file && w.line ? shortFile(w.file).replace(/^.*\//, '') + ':' + w.line : w ? w.kind : 'exited' });
	return graph.nodes.get(key);
}

function objectNode(w, pid) {
	const key = w.kind === 'gate' ? 'gate ' + w.object : pid + ' ' + w.kind + ' ' + w.object;
	if (!graph.nodes.has(key))
		graph.nodes.set(key, { key, object: w.object, kind: w.kind, name: w.object, below: w.kind, out: [], cycle: false });
	return graph.nodes.get(key);
}

function link(from, to, says, cycle) {
	const same = graph.edges.find(e => e.from === from && e.to === to);
	if (same) {
		same.cycle = same.cycle || cycle;
		return;
	}
	const edge = { from, to, says, cycle };
	graph.edges.push(edge);
	from.out.push(edge);
}

function addWaits(t) {
	const w = t.waiting, from = threadNode(t);
	let next = from;
	if (w.object !== null) {
		next = objectNode(w, t.pid);
		next.cycle = next.cycle || w.in_cycle;
		link(from, next, w.held ? 'held at' : 'waits for', w.in_cycle);
	}
	for (const id of w.on) {
		const other = data.threads.find(x => x.id === id);
		if (other)
			link(next, threadNode(other), next === from ? (w.kind === 'join' ? 'joins' : 'waits for')
				: HELD_BY[w.kind] || 'released by', w.in_cycle && Boolean(other.waiting && other.waiting.in_cycle));
	}
}

/* In the order in which one waits for the other. */
function cyclePath() {
	const path = [];
	let at = [...graph.nodes.values()].find(n => n.cycle && n.thread);
	while (at && !path.includes(at)) {
		path.push(at);
		const edge = at.out.find(e => e.cycle);
		at = edge && edge.to;
	}
	for (const n of graph.nodes.values())
		if (n.cycle && !path.includes(n))
			path.push(n);
	return path;
}

/* ---- where they stand ---- */

function layOut() {
	const ring = cyclePath(), left = Math.ceil(ring.length / 2);
	ring.forEach((n, i) => {
		n.x = i < left ? LEFT : RIGHT;
		n.y = 8 + PITCH * (i < left ? i : ring.length - 1 - i);
	});
	let y = 8 + (ring.length ? PITCH * left : 0);
	const rest = [...graph.nodes.values()].filter(n => n.x === undefined);
	for (const n of rest) {
		if (n.x !== undefined)
			continue;
		n.x = LEFT;
		n.y = y;
		const beside = n.out.map(e => e.to).find(to => to.x === undefined);
		if (beside) {
			beside.x = RIGHT;
			beside.y = y;
		}
		y += PITCH;
	}
	return y - PITCH + NODE_H + 10;
}

/* Where the line from the middle of a node towards a point leaves its box. */
function border(n, x, y) {
	const cx = n.x + NODE_W / 2, cy = n.y + NODE_H / 2, dx = x - cx, dy = y - cy;
	const k = Math.min((NODE_W / 2 + 2) / Math.max(Math.abs(dx), 1e-6), (NODE_H / 2 + 2) / Math.max(Math.abs(dy), 1e-6));
	return [cx + dx * k, cy + dy * k];
}

function drawEdge(e) {
	const back = e.to.out.some(x => x.to === e.from);
	const shift = back ? (e.from.x < e.to.x || (e.from.x === e.to.x && e.from.y < e.to.y) ? -11 : 11) : 0;
	const side = e.from.x === e.to.x;
	const [sx, sy] = [side ? shift * 2 : 0, side ? 0 : shift];
	const far = side && Math.abs(e.from.y - e.to.y) > PITCH * 1.5;
	let [x1, y1] = border(e.from, e.to.x + NODE_W / 2, e.to.y + NODE_H / 2);
	let [x2, y2] = border(e.to, e.from.x + NODE_W / 2, e.from.y + NODE_H / 2);
	let line, mx = (x1 + x2) / 2 + sx, my = (y1 + y2) / 2 + sy, angle = Math.atan2(y2 - y1, x2 - x1);
	if (far) { /* around what stands between them */
		const out = e.from.x < RIGHT ? -1 : 1, edge = e.from.x + (out > 0 ? NODE_W : 0);
		[x1, y1, x2, y2] = [edge, e.from.y + NODE_H / 2, edge + out * 2, e.to.y + NODE_H / 2];
		mx = edge;
		my = Math.max(e.from.y, e.to.y) - (PITCH - NODE_H) / 2;
		line = `M${x1} ${y1} C${x1 + out * 24} ${y1} ${x2 + out * 24} ${y2} ${x2 + out * 5} ${y2}`;
		angle = out > 0 ? Math.PI : 0;
	} else {
		[x1, y1, x2, y2] = [x1 + sx, y1 + sy, x2 + sx, y2 + sy];
		line = `M${x1} ${y1} L${x2 - Math.cos(angle) * 6} ${y2 - Math.sin(angle) * 6}`;
	}
	const tip = [[0, 0], [-9, -4.5], [-9, 4.5]].map(([x, y]) =>
		(x2 + x * Math.cos(angle) - y * Math.sin(angle)) + ',' + (y2 + x * Math.sin(angle) + y * Math.cos(angle))).join(' ');
	const says = svg('text', { class: 'says', x: mx, y: my + 4 }, e.says);
	if (!side)
		says.setAttribute('y', my - 6);
	return svg('g', { class: 'edge' + (e.cycle ? ' cycle' : '') }, svg('path', { d: line }), svg('polygon', { points: tip }), says);
}

function nodeShape(n) {
	const w = NODE_W, h = NODE_H, k = 9;
	return n.thread ? svg('rect', { width: w, height: h, rx: 7 })
		: svg('path', { d: `M${k} 0H${w - k}L${w} ${k}V${h - k}L${w - k} ${h}H${k}L0 ${h - k}V${k}Z` });
}

function nodeChip(lane) {
	return [svg('circle', { cx: 2, cy: 2, r: 9, style: `fill: var(--thread-${lane.index % THREAD_COLOURS})` }),
		svg('text', { class: 'number', x: 2, y: 5.5 }, String(lane.index + 1))];
}

function drawNode(n) {
	const lane = n.thread && lanes[laneOf.get(n.thread.id)];
	const title = n.thread ? n.name + ' ' + n.thread.why : n.kind + ' ' + n.name;
	const shown = [cut(n.name, 15), cut(n.below || '', 21)];
	/* The label begins with the text that is seen. */
	const g = svg('g', { class: 'node' + (n.thread ? '' : ' object') + (n.cycle ? ' cycle' : ''),
		transform: `translate(${n.x} ${n.y})`, role: 'button', tabindex: '0',
		'aria-label': (lane ? lane.index + 1 + ' ' : '') + shown.join(' ') + ': ' + title },
	svg('title', {}, title), nodeShape(n), ...(lane ? nodeChip(lane) : []), ' ',
	svg('text', { x: NODE_W / 2, y: 19, 'font-weight': 600 }, shown[0]), ' ',
	svg('text', { class: 'kind', x: NODE_W / 2, y: 34 }, shown[1]));
	const go = () => n.thread ? selectThread(n.thread.id) : lookFor(n.name);
	g.addEventListener('click', go);
	g.addEventListener('keydown', k => k.key === 'Enter' && go());
	return g;
}

/* The line where it waits, and the one where the lock was taken. */
function waitLine(file, line, says) {
	const text = file && line ? sourceLine(file, line) : null;
	return text === null ? null
		: element('code', { title: file + ':' + line }, element('span', {}, says + shortFile(file).replace(/^.*\//, '') + ':' + line), ' ' + text.trim());
}

function waitItem(t) {
	const w = t.waiting;
	return element('li', { 'data-thread': t.id },
		element('button', { type: 'button', class: 'link', onclick: () => selectThread(t.id) }, t.id), ' ' + t.why,
		w.in_cycle ? ' ' : null, w.in_cycle ? element('span', { class: 'tag bad' }, 'in the cycle') : null,
		waitLine(w.file, w.line, ''), waitLine(w.taken_file, w.taken_line, 'taken at '));
}

/* True: there is something to see. */
function startGraph() {
	const waiting = data.threads.filter(t => t.waiting);
	const panel = $('panel-waits');
	for (const t of waiting)
		if (graph.nodes.size < MOST_NODES && (t.waiting.object !== null || t.waiting.on.length))
			addWaits(t);
	$('tab-waits').hidden = !waiting.length;
	if (!waiting.length)
		return false;
	panel.append(element('h2', {}, 'What each thread waited for'));
	if (graph.nodes.size) {
		const height = layOut();
		const picture = svg('svg', { class: 'graph', viewBox: `0 0 ${GRAPH_W} ${height}`, role: 'group', 'aria-label': 'The wait-for graph' });
		picture.append(...graph.edges.map(drawEdge), ...[...graph.nodes.values()].map(drawNode));
		panel.append(picture);
	}
	panel.append(element('ul', { class: 'waits-list' }, ...waiting.map(waitItem)));
	return data.cycle.length > 0 || graph.edges.length > 0;
}
