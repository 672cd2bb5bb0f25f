/* Curves over time, as SVG. Its text is numbers and fixed words alone. */

const WIDTH = 560, HEIGHT = 180, LEFT = 64, RIGHT = 24, BOTTOM = 24, TOP = 12;

/* The distance of marks at 1, 2 or 5 times a power of ten, at most `most` of them; of whole numbers if `least` is 1. */
function roundStep(range, most, least) {
	const power = Math.pow(10, Math.floor(Math.log10(range / most)));
	return Math.max(least, [1, 2, 5, 10].find(k => k * power * most >= range * 0.9999) * power);
}

function marks(range, most, least) {
	const step = roundStep(range, most, least);
	return Array.from({ length: Math.floor(range / step + 1.0001) }, (_, i) => Number((i * step).toPrecision(6)));
}

function number(value) {
	return Number.isInteger(value) ? grouped(value) : String(value);
}

function svgTime(s, most) {
	return most < 1 ? number(Number((s * 1000).toPrecision(6))) + ' ms' : number(s) + ' s';
}

function axes(most, place) {
	const text = (at, x, y, words) => `<text class="tick ${at}" x="${x}" y="${y}">${words}</text>`;
	const rows = marks(most.y, 3, most.least).map(value => {
		const y = place([0, value])[1];
		return `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y}" y2="${y}"/>` + text('end', LEFT - 6, y + 4, number(value));
	});
	return rows.concat(marks(most.x, 4, 0).map(value => text('middle', place([value, 0])[0], HEIGHT - 6, svgTime(value, most.x)))).join('');
}

/* `lines`: name, colour, dots. `least` is 1 where values are counts. */
function curves(title, lines, least) {
	const dots = lines.flatMap(l => l.dots), largest = i => Math.max(...dots.map(dot => dot[i]));
	const most = { x: largest(0) || 1, y: largest(1) || 1, least }, step = roundStep(most.y, 3, least);
	most.y = Math.ceil(most.y / step - 1e-9) * step;
	const place = ([x, y]) => [LEFT + x / most.x * (WIDTH - LEFT - RIGHT), TOP + (1 - y / most.y) * (HEIGHT - TOP - BOTTOM)].map(v => Number(v.toFixed(1)));
	const f = figure(title);
	for (const l of lines.length > 1 ? lines : [])
		f.firstChild.append(element('span', { style: `color:var(${l.color})` }, (l.dashed ? '┄ ' : '─ ') + l.name));
	f.insertAdjacentHTML('beforeend', `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">` + axes(most, place) +
		lines.map(l => `<polyline class="curve${l.dashed ? ' dashed' : ''}" style="stroke:var(${l.color})" points="${l.dots.map(place).join(' ')}"/>`).join('') + '</svg>');
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

/* A curve of one schedule says nothing. */
function searchCurves() {
	const over = (name, color, at, last, dashed) => ({ name, color, dashed, dots: [[0, 0], ...data.samples.map(s => [s[0], s[at]]), [data.seconds, last]] });
	const rate = rates();
	if (data.schedules < 2)
		return null;
	return element('div', { class: 'figures' },
		curves('Schedules over time', [over('schedules', '--gate-1', 1, data.schedules), over('distinct', '--gate-2', 2, data.distinct, true)], 1),
		rate.length > 1 ? curves('Schedules per second', [{ color: '--gate-0', dots: rate }], 0) : null);
}
