/* The mark of each kind of event: told apart by its shape, the colour is only an addition. */

function path(c, points) {
	c.beginPath();
	points.forEach(([x, y], i) => i ? c.lineTo(x, y) : c.moveTo(x, y));
}

function filled(c, colour, rim) {
	c.fillStyle = colour;
	c.fill();
	c.strokeStyle = rim || colours.panel;
	c.lineWidth = 1.2;
	c.stroke();
}

const MARKS = {
	'arrival'(c, x, y) {
		c.beginPath();
		c.arc(x, y, 3.6, 0, 7);
		filled(c, colours.mark);
	},
	'hold'(c, x, y, e) {
		c.fillStyle = gateColour(e.gate);
		c.fillRect(x - 1, y - 9, 2, 18);
	},
	'release'(c, x, y, e) {
		path(c, [[x - 1, y - 5], [x + 5, y], [x - 1, y + 5]]);
		c.closePath();
		filled(c, gateColour(e.gate));
	},
	'open'(c, x, y, e) {
		path(c, [[x, y - 7], [x + 6, y], [x, y + 7], [x - 6, y]]);
		c.closePath();
		filled(c, gateColour(e.gate));
	},
	'event'(c, x, y) {
		path(c, [[x - 4, y + 6], [x - 4, y - 7], [x + 5, y - 4], [x - 4, y - 1]]);
		c.lineWidth = 1.6;
		c.strokeStyle = colours.mark;
		c.stroke();
	},
	'log'(c, x, y) {
		c.beginPath();
		c.rect(x - 4.5, y - 5.5, 9, 11);
		filled(c, colours.panel, colours.mark);
		path(c, [[x - 2, y - 2], [x + 2.5, y - 2]]);
		c.stroke();
		path(c, [[x - 2, y + 1.5], [x + 2.5, y + 1.5]]);
		c.stroke();
	},
	'step'(c, x, y) {
		c.beginPath();
		c.arc(x, y, 3, 0, 2 * Math.PI);
		filled(c, colours.mark);
	},
	'thread-start'(c, x, y) {
		c.fillStyle = colours.mark;
		c.fillRect(x - 1, y - 7, 2, 14);
		path(c, [[x + 2, y - 4], [x + 7, y], [x + 2, y + 4]]);
		c.closePath();
		c.fill();
	},
	'thread-exit'(c, x, y) {
		c.fillStyle = colours.mark;
		c.fillRect(x - 1, y - 7, 2, 14);
		c.fillRect(x - 5, y - 1, 4, 2);
	},
	'fork'(c, x, y) {
		path(c, [[x - 5, y], [x, y], [x + 5, y - 6]]);
		c.lineWidth = 2;
		c.strokeStyle = colours.mark;
		c.stroke();
		path(c, [[x, y], [x + 5, y + 6]]);
		c.stroke();
	},
	'exec'(c, x, y) {
		c.lineWidth = 2;
		c.strokeStyle = colours.mark;
		for (const dx of [-4, 1]) {
			path(c, [[x + dx, y - 5], [x + dx + 4, y], [x + dx, y + 5]]);
			c.stroke();
		}
	},
	'signal'(c, x, y) {
		path(c, [[x + 2, y - 8], [x - 4, y + 1], [x, y + 1], [x - 2, y + 8], [x + 5, y - 2], [x + 1, y - 2]]);
		c.closePath();
		filled(c, colours.warn);
	},
	'crash'(c, x, y) {
		const star = [];
		for (let i = 0; i < 16; i++) {
			const r = i % 2 ? 4 : 10, a = i * Math.PI / 8;
			star.push([x + r * Math.sin(a), y - r * Math.cos(a)]);
		}
		path(c, star);
		c.closePath();
		filled(c, colours.bad);
	},
	'kill'(c, x, y) {
		c.strokeStyle = colours.bad;
		c.lineWidth = 2.6;
		path(c, [[x - 5, y - 5], [x + 5, y + 5]]);
		c.stroke();
		path(c, [[x + 5, y - 5], [x - 5, y + 5]]);
		c.stroke();
	},
};

/* Marks that stand so close together that one hides the other are drawn once. */
const CLOSE = 1.5;

function drawMark(c, e, x, y) {
	(MARKS[e.what] || MARKS.arrival)(c, x, y, e);
}

function ring(c, x, y, colour, width, radius) {
	c.beginPath();
	c.arc(x, y, radius || 9, 0, 7);
	c.strokeStyle = colour;
	c.lineWidth = width;
	c.stroke();
}

/* A hold that never ended is striped: it is not told by colour alone. */
const stripes = new Map();

function stripe(c, colour, back) {
	const key = colour + back;
	if (!stripes.has(key)) {
		const tile = document.createElement('canvas');
		tile.width = tile.height = 8;
		const t = tile.getContext('2d');
		t.fillStyle = back;
		t.fillRect(0, 0, 8, 8);
		t.strokeStyle = colour;
		t.lineWidth = 2.4;
		for (const shift of [-8, 0, 8]) {
			t.beginPath();
			t.moveTo(shift - 2, 10);
			t.lineTo(shift + 10, -2);
			t.stroke();
		}
		stripes.set(key, c.createPattern(tile, 'repeat'));
	}
	return stripes.get(key);
}

function bar(c, x, y, width, height, gate, open) {
	const colour = gateColour(gate);
	if (width < 6) { /* too small for corners, and there may be thousands */
		c.fillStyle = colour;
		c.fillRect(x, y, Math.max(width, 1), height);
		return;
	}
	c.beginPath();
	c.roundRect(x, y, Math.max(width, 2), height, open ? [4, 0, 0, 4] : 4);
	c.fillStyle = open ? stripe(c, colour, colours.panel) : colour;
	c.fill();
	if (open) {
		c.strokeStyle = colour;
		c.lineWidth = 1.4;
		c.stroke();
	}
}
