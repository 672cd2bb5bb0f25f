'use strict';
/* The page of a search or an audit: its record, shown. Names and texts in it come from the program and are not to be
   trusted: they become text (textContent), never markup. */

const json = document.getElementById('data').textContent;
const data = JSON.parse(json);
const seed = (json.match(/"seed":(-?\d+)/) || [])[1]; /* of 64 bits: more than a number holds */
const command = document.title.replace('gatectl ', '');

/* ---- parts of a page ---- */

function element(tag, properties, ...children) {
	const e = Object.assign(document.createElement(tag), properties);
	e.append(...children.filter(child => child !== null));
	return e;
}

function header(what, remark, facts) {
	return element('header', { className: data.status ? 'verdict' : 'verdict good' },
		element('span', { className: 'verdict-icon' }, data.status ? '!' : '✓'),
		element('div', { className: 'verdict-body' },
			element('h1', {}, data.verdict + ' ', element('small', {}, 'exit status ' + data.status)),
			element('p', {}, what), element('p', {}, remark)),
		element('dl', { className: 'facts' }, ...Object.entries(facts).map(([name, value]) =>
			element('div', {}, element('dt', {}, name), element('dd', {}, String(value))))));
}

function row(cells, marked) {
	return element('tr', { className: marked ? 'preempts' : '' }, ...cells.map(cell => element('td', {}, cell === null ? '-' : cell)));
}

function table(columns, rows) {
	const head = columns && element('thead', {}, element('tr', {}, ...columns.map(name => element('th', {}, name))));
	return element('table', { className: 'steps' }, head, element('tbody', {}, ...rows));
}

function figure(title, ...children) {
	return element('figure', {}, element('figcaption', {}, title), ...children);
}

function failure(title, small, ...children) {
	return element('section', { className: 'failure' }, element('h2', {}, title, small ? element('small', {}, ' ' + small) : null), ...children);
}

function links(item) {
	return element('p', {}, ...item.links.map(href => element('a', { href }, href.slice(href.lastIndexOf('/') + 1))));
}

function seconds(value) {
	return value.toFixed(2) + ' s';
}

/* ---- curves over time ---- */

const WIDTH = 560, HEIGHT = 180, LEFT = 64, BOTTOM = 24, TOP = 12;

/* Text of the picture: numbers and fixed words alone. */
function axes(most) {
	const tick = (at, x, y, text) => `<text class="tick ${at}" x="${x}" y="${y}">${text}</text>`;
	return [0, 1, 2].map(i => {
		const y = TOP + (HEIGHT - TOP - BOTTOM) * (2 - i) / 2, x = LEFT + (WIDTH - LEFT - 8) * i / 2;
		return `<line class="grid" x1="${LEFT}" x2="${WIDTH - 8}" y1="${y}" y2="${y}"/>` +
			tick('end', LEFT - 6, y + 4, Number((most.y * i / 2).toPrecision(4))) +
			tick(i === 2 ? 'end' : 'middle', x, HEIGHT - 6, Number((most.x * i / 2).toPrecision(3)) + ' s');
	}).join('');
}

function curves(title, lines) {
	const most = { x: 0, y: 0 };
	for (const [x, y] of lines.flatMap(l => l.dots)) {
		most.x = Math.max(most.x, x);
		most.y = Math.max(most.y, y);
	}
	most.x = most.x || 1;
	most.y = most.y || 1;
	const place = ([x, y]) => (LEFT + x / most.x * (WIDTH - LEFT - 8)).toFixed(1) + ',' + (TOP + (1 - y / most.y) * (HEIGHT - TOP - BOTTOM)).toFixed(1);
	const f = figure(title);
	for (const l of lines.length > 1 ? lines : [])
		f.firstChild.append(element('span', { style: `color:var(${l.color})` }, l.name));
	f.insertAdjacentHTML('beforeend', `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">` + axes(most) +
		lines.map(l => `<polyline class="curve" style="stroke:var(${l.color})" points="${l.dots.map(place).join(' ')}"/>`).join('') + '</svg>');
	return f;
}

/* Rates are those of a sixtieth of the time, or more. */
function rates() {
	const dots = [];
	let before = [0, 0];
	for (const s of data.samples) {
		if (s[0] - before[0] < data.seconds / 60 || s[0] <= before[0])
			continue;
		dots.push([s[0], (s[1] - before[1]) / (s[0] - before[0])]);
		before = s;
	}
	return dots;
}

function searchCurves() {
	const over = (name, color, at, last) => ({ name, color, dots: [[0, 0], ...data.samples.map(s => [s[0], s[at]]), [data.seconds, last]] });
	return element('div', { className: 'figures' },
		curves('Schedules over time', [over('schedules', '--gate-1', 1, data.schedules), over('distinct', '--gate-2', 2, data.distinct)]),
		curves('Schedules per second', [{ color: '--gate-0', dots: rates() }]));
}

/* ---- explore ---- */

function schedule(f) {
	const steps = f.path.map(([thread, preempts, op, place, name], i) =>
		row([String(f.first_step + i), ...f.threads.map((_, k) =>
			k === thread ? element('span', {}, op + ' ', place ? element('code', {}, place) : null, ' ' + name) : '')], preempts));
	return element('details', {}, element('summary', {}, 'The schedule' + (f.first_step > 1 ? ', its last steps' : '')),
		table(['step', ...f.threads], steps));
}

function exploreFailure(f) {
	return failure(f.kind, f.where,
		element('p', {}, `first in schedule ${f.schedule}, by ${f.strategy}; in ${f.times} schedules; ${f.steps} steps, ${f.preemptions} preemptions` +
			(f.again === false ? '; run once more it did not fail like that' : '')),
		links(f), f.text ? element('pre', {}, f.text) : null, schedule(f));
}

function exploreRemark() {
	if (data.complete)
		return 'These are all schedules of the given bound' +
			(data.fair ? ', but for those in which a thread that yields, or spins, goes on before the others have moved.' : '.');
	return data.failures.length ? '' : 'Nothing failed; there may be schedules that were not tried.';
}

function explorePage() {
	return [header(data.command.join(' '), exploreRemark(), { Schedules: data.schedules, Distinct: data.distinct,
		Failures: data.failures.length, Strategy: data.strategy, Seed: seed, Time: seconds(data.seconds) }),
	searchCurves(), ...data.failures.map(exploreFailure)];
}

/* ---- harness ---- */

function violation(v) {
	const outcomes = v.outcomes.map(o => row([o.outcome, String(o.times), o.weakened ? 'allowed' : o.atomic ? 'yes' : 'NO', o.order], !o.atomic));
	return failure(v.headline, '',
		element('p', {}, `after ${v.seconds.toFixed(1)} s, in ${v.schedules} schedules of it` + (v.script ? '; gates.lua has forced it in ' + v.forced_in : '')),
		links(v), element('pre', {}, v.story),
		figure('Outcomes', table(['outcome', 'times', 'atomic', 'explained by'], outcomes)));
}

function harnessRemark() {
	return data.violations.length ? 'Whole calls cannot give what came.'
		: data.out_of_time ? 'No violation in the time there was.'
		: data.schedules ? 'No violation: every outcome that came is one of whole calls.' : 'Nothing was searched.';
}

function harnessPage() {
	const does = op => op.left_out || (op.varies ? 'gives something else each time' : op.reads ? 'only reads' : 'changes');
	const sizes = data.sizes.filter(s => s.harnesses);
	return [header(`${data.object} in ${data.library}`, harnessRemark(), { Harnesses: data.harnesses, Schedules: data.schedules,
		Violations: data.violations.length, Strategy: data.strategy, Seed: seed, Time: seconds(data.seconds) }),
	element('div', { className: 'figures' },
		figure('Operations', table(['operation', ''], data.operations.map(op => row([op.function, does(op)])))),
		figure('Harnesses', table(['calls', 'harnesses', 'searched', 'left out'],
			sizes.map(s => row([s.calls ? String(s.calls) : 'given', ...[s.harnesses, s.searched, s.unusable].map(String)]))))),
	...data.violations.map(violation)];
}

/* ---- audit ---- */

function source(at) {
	return figure(at.file + ':' + at.line, table(null, at.source.map(([n, text]) => row([String(n), element('code', {}, text)], n === at.line))));
}

function finding(f) {
	return failure(`${f.text} [${f.tag}]`, '', element('p', {}, 'confidence: ' + f.confidence), source(f),
		...f.notes.flatMap(note => [element('p', {}, note.text), source(note)]));
}

function auditPage() {
	return [header(data.program, data.status ? 'Fields that threads may share are used without what protects them.' : 'Nothing was found.',
		{ Files: data.files, Skipped: data.skipped.length, Lines: data.lines, Functions: data.functions, Time: seconds(data.seconds) }),
	...data.findings.map(finding),
	figure('Fields that are safe', table(['field', 'why'], data.safe.map(s => row([s.struct + '.' + s.field, s.why]))))];
}

/* ---- races ---- */

function racesPage() {
	return [header(data.program, data.races.length ? '' : 'No race in these runs.',
		{ Runs: data.runs, Races: data.races.length, Ignored: data.ignored, Seed: seed, Time: seconds(data.seconds) }),
	element('section', { className: 'failure' }, element('pre', {}, data.text))];
}

const pages = { explore: explorePage, harness: harnessPage, audit: auditPage, races: racesPage };
const [head, ...parts] = pages[command]();
document.documentElement.classList.toggle('dark', matchMedia('(prefers-color-scheme: dark)').matches);
document.body.append(head, element('main', {}, ...parts));
