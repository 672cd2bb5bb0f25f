/* The page of a search or an audit: its record, shown. */

const json = document.getElementById('data').textContent;
const data = JSON.parse(json);
const seed = (json.match(/"seed":(-?\d+)/) || [])[1]; /* of 64 bits: more than a number holds */
const command = document.title.replace('gatectl ', '');

/* ---- parts of a page ---- */

/* `what` was found; a search that has not ended, or has not begun, is headed by its verdict. */
function header(what, lines, facts) {
	const found = data.status === 116, heading = data.status && !found ? data.verdict : what;
	return element('header', { class: data.status ? 'verdict' : 'verdict good' },
		element('span', { class: 'verdict-icon', 'aria-hidden': 'true' }, data.status ? '!' : '✓'),
		element('div', { class: 'verdict-body' },
			element('h1', {}, heading, ' ', element('small', {}, 'gatectl’s exit status: ' + data.status)),
			...(heading === what ? lines : [data.message, lines[0]]).filter(Boolean).map(line => element('p', {}, line))),
		element('dl', { class: 'facts' }, ...Object.entries(facts).map(([name, value]) =>
			element('div', {}, element('dt', {}, name), element('dd', {}, typeof value === 'number' ? grouped(value) : value)))));
}

/* The first of what was found, and how many more there are. */
function foundFirst(first, n) {
	return first + (n > 1 ? `, and ${grouped(n - 1)} more` : '');
}

function row(cells, marked) {
	return element('tr', { class: marked ? 'preempts' : '' }, ...cells.map(cell => element('td', {}, cell === null ? '-' : cell)));
}

function table(columns, rows, name = 'steps') {
	return element('table', { class: name },
		element('thead', {}, element('tr', {}, ...columns.map(column => element('th', { scope: 'col' }, column)))), element('tbody', {}, ...rows));
}

function figure(title, ...children) {
	return element('figure', {}, element('figcaption', {}, title), ...children);
}

/* Parts that may be wider than the page scroll by themselves. */
function wide(name, child) {
	return element('div', { class: 'wide-part', tabindex: '0', role: 'group', 'aria-label': name }, child);
}

function failure(title, ...children) {
	return element('section', { class: 'failure' }, element('h2', {}, title), ...children);
}

function links(item) {
	return element('p', { class: 'links' }, ...item.links.map(href => element('a', { href }, href.slice(href.lastIndexOf('/') + 1))));
}

function seconds(value) {
	return value.toFixed(2) + ' s';
}

/* ---- explore ---- */

function stepText([, , op, place, name]) {
	return element('span', {}, op + ' ', place ? element('code', {}, place) : null, ' ' + name);
}

function schedule(f) {
	const steps = f.path.map((step, i) => row([String(f.first_step + i), ...f.threads.map((_, k) => k === step[0] ? stepText(step) : '')], step[1]));
	return element('details', {}, element('summary', {}, 'The schedule' + (f.first_step > 1 ? ', its last steps' : '')),
		wide('The schedule', table(['step', ...f.threads.map((id, k) => threadText(k, id))], steps)));
}

function scriptText(f) {
	return f.script ? 'the script has forced it in ' + f.forced_in : f.no_script ? 'no script of gates: ' + f.no_script : null;
}

/* "exit status 1" alone could be gatectl's. */
function failureText(f) {
	return f.where.startsWith('exit status') ? f.where + ' of ' + data.program.slice(data.program.lastIndexOf('/') + 1) : f.where;
}

/* A column of its own tells failures that are time-related from the others, which come first. */
function failuresTable() {
	if (!data.failures.some(f => f.time_related))
		return null;
	return figure('Failures', table(['failure', 'schedules', 'time-related'],
		data.failures.map(f => row([failureText(f), grouped(f.times), f.needs || 'no']))));
}

function exploreFailure(f) {
	const script = scriptText(f);
	return failure(failureText(f), f.needs ? element('p', {}, f.needs) : null,
		element('p', {}, `first in schedule ${grouped(f.schedule)}, by ${f.strategy}; in ${count(f.times, 'schedule')}; ` +
			`${count(f.steps, 'step')}, ${count(f.preemptions, 'preemption')}` + (f.again === false ? '; run once more it did not fail like that' : '')),
		script ? element('p', {}, script) : null, links(f), f.text ? element('pre', {}, f.text) : null, schedule(f));
}

function exploreRemark() {
	if (data.complete)
		return 'These are all schedules of the given bound' +
			(data.fair ? ', but for those in which a thread that yields, or spins, goes on before the others have moved.' : '.');
	return data.failures.length ? '' : 'There may be schedules that were not tried.';
}

function explorePage() {
	const n = data.failures.length, schedules = count(data.schedules, 'schedule');
	return [header(n ? foundFirst(failureText(data.failures[0]), n) : 'nothing found',
		[(n ? count(n, 'failure') + ' in ' : '') + `${schedules}, ${grouped(data.distinct)} distinct`, exploreRemark(), data.command.join(' ')],
		{ Schedules: data.schedules, Distinct: data.distinct, Failures: n, Strategy: data.strategy, Seed: seed, Time: seconds(data.seconds) }),
	failuresTable(), ...data.failures.map(exploreFailure), searchCurves()];
}

/* ---- harness ---- */

function outcomes(v) {
	const rows = v.outcomes.map(o => row([o.outcome, String(o.times), o.weakened ? 'allowed' : o.atomic ? 'yes' : 'NO', o.order], !o.atomic));
	return figure('Outcomes', table(['outcome', 'times', 'atomic', 'explained by'], rows, 'steps outcomes'));
}

/* The first line of the story is the schema, which the headline has. */
function violation(v) {
	return failure(v.headline,
		element('p', {}, `after ${v.seconds.toFixed(1)} s, in ${count(v.schedules, 'schedule')} of it` + (v.script ? '; the script has forced it in ' + v.forced_in : '')),
		links(v), ...markdown(v.story.slice(v.story.indexOf('\n') + 1)), outcomes(v));
}

function harnessRemark() {
	return data.violations.length ? 'No order of whole calls gives the outcome that came.'
		: data.out_of_time ? 'No violation in the time there was.'
		: data.schedules ? 'No violation: every outcome that came is one of whole calls.' : 'Nothing was searched.';
}

function harnessPage() {
	const does = op => op.left_out || (op.varies ? 'gives something else each time' : op.reads ? 'only reads' : op.unsure ? 'not known' : 'changes');
	const sizes = data.sizes.filter(s => s.harnesses), n = data.violations.length;
	return [header(n ? foundFirst(data.violations[0].headline, n) : 'nothing found',
		[harnessRemark(), `${data.object} in ${data.library}: ${n ? count(n, 'violation') + ' in ' : ''}${count(data.harnesses, 'harness')}, ${count(data.schedules, 'schedule')}`],
		{ Harnesses: data.harnesses, Schedules: data.schedules, Violations: n, Strategy: data.strategy, Seed: seed, Time: seconds(data.seconds) }),
	...data.violations.map(violation),
	element('div', { class: 'figures' },
		figure('Operations', table(['operation', 'what it does', 'verdict'], [...data.operations.map(op => row([op.function, does(op), op.verdict])),
			...data.left_out.map(op => row([op.function, '', `not tried: ${op.why}`]))])),
		figure('Harnesses', table(['calls', 'harnesses', 'searched', 'left out'],
			sizes.map(s => row([s.calls ? String(s.calls) : 'given', ...[s.harnesses, s.searched, s.unusable].map(String)])))))];
}

/* ---- audit ---- */

/* The places of a finding by excerpt: lines that several places show come once. Each has the file, lines by number,
   and places. */
function excerpts(places) {
	const found = [];
	for (const at of places) {
		const near = found.filter(x => x.file === at.file && at.source.some(([n]) => x.lines.has(n) || x.lines.has(n - 1) || x.lines.has(n + 1)));
		const into = near[0] || { file: at.file, lines: new Map(), places: [] };
		if (!near.length)
			found.push(into);
		for (const x of near.slice(1)) {
			x.lines.forEach((text, n) => into.lines.set(n, text));
			into.places.push(...x.places);
			found.splice(found.indexOf(x), 1);
		}
		at.source.forEach(([n, text]) => into.lines.set(n, text));
		into.places.push(at);
	}
	return found;
}

function excerpt(x) {
	const rows = [];
	for (const n of [...x.lines.keys()].sort((a, b) => a - b)) {
		const here = x.places.filter(at => at.line === n);
		rows.push(row([String(n), element('code', { class: here.some(at => !at.says) ? 'here' : '' }, x.lines.get(n))], here.length));
		for (const at of here.filter(at => at.says))
			rows.push(element('tr', { class: 'note' }, element('td', {}), element('td', {}, at.says)));
	}
	for (const at of x.places.filter(at => !x.lines.size && at.says))
		rows.push(row([String(at.line), at.says]));
	const title = x.file + ':' + x.places[0].line;
	return figure(title, wide(title, element('table', { class: 'excerpt' }, element('tbody', {}, ...rows))));
}

/* The notes are the steps of the path, in this order. */
function finding(f) {
	const places = [f, ...f.notes.map((note, i) => ({ ...note, says: (f.notes.length > 1 ? i + 1 + '. ' : '') + note.text }))];
	return failure(`${f.text} [${f.tag}]`,
		element('p', {}, 'confidence: ' + f.confidence + ' (' + f.score + ' of 100: ' + f.evidence + ')' + ('confirmed' in f ? f.confirmed ? '; a run has confirmed it' : '; no run has confirmed it' : '')),
		...excerpts(places).map(excerpt));
}

function auditPage() {
	const n = data.findings.length, first = data.findings[0];
	return [header(n ? foundFirst(`${first.file}:${first.line}: ${first.text} [${first.tag}]`, n) : 'nothing found',
		[(n ? count(n, 'finding') + ' in ' : '') + count(data.files, 'file'), data.program],
		{ Files: data.files, Skipped: data.skipped.length, Lines: data.lines, Functions: data.functions, Time: seconds(data.seconds) }),
	...data.findings.map(finding),
	data.safe.length ? figure('Fields that are safe', table(['field', 'why'], data.safe.map(s => row([s.struct + '.' + s.field, s.why])))) : '',
	data.skipped.length ? figure('Files that were skipped', table(['file', 'why'], data.skipped.map(s => row([s.file, s.why])))) : ''];
}

/* ---- races ---- */

/* A race is a line, and the lines below it that are indented. */
function race(text) {
	const [first, ...rest] = text.split('\n');
	return failure(first, element('ul', {}, ...rest.map(line => element('li', {}, line.trim()))));
}

function racesPage() {
	const n = data.races.length, side = s => s.line ? s.file.slice(s.file.lastIndexOf('/') + 1) + ':' + s.line : s.func || 'code without line numbers';
	const first = r => `race on ${r.variable || 'memory without a name'} at ${side(r.first)} and ${side(r.second)}`;
	return [header(n ? foundFirst(first(data.races[0]), n) : 'no race', [(n ? count(n, 'race') + ' in ' : '') + count(data.runs, 'run'), data.program],
		{ Runs: data.runs, Races: n, Ignored: data.ignored, Seed: seed, Time: seconds(data.seconds) }),
	...(n ? data.text.trimEnd().split(/\n(?=\S)/).map(race) : [])];
}

/* ---- light and dark; print is light and has what is folded ---- */

const prefersDark = matchMedia('(prefers-color-scheme: dark)');
let unfolded = [];

function applyTheme(printing) {
	document.documentElement.classList.toggle('dark', !printing && prefersDark.matches);
}

function setPrint(on) {
	if (on)
		unfolded = [...document.querySelectorAll('details:not([open])')];
	for (const details of unfolded)
		details.open = on;
	document.documentElement.classList.toggle('print', on);
	applyTheme(on);
}

const pages = { explore: explorePage, suite: suitePage, harness: harnessPage, audit: auditPage, races: racesPage };
const [head, ...parts] = pages[command]();
document.body.append(head, element('main', {}, ...parts.filter(Boolean)));
applyTheme(false);
prefersDark.addEventListener('change', () => applyTheme(false));
addEventListener('beforeprint', () => setPrint(true));
addEventListener('afterprint', () => setPrint(false));
