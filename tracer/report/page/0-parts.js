'use strict';
/* Parts that both pages use: texts and elements. Names and texts of the record come from the program and are not to be
   trusted: they become text (textContent), never markup. */

/* 12,345; the browser's own way has to load its languages first. */
function grouped(n) {
	return String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}

/* "1 hold", "3 holds", "2 harnesses" */
function count(n, noun) {
	return grouped(n) + ' ' + noun + (n === 1 ? '' : noun.endsWith('s') ? 'es' : 's');
}

/* An element with text; `children` may be texts, elements and nulls. */
function element(tag, properties, ...children) {
	const x = document.createElement(tag);
	for (const [k, v] of Object.entries(properties || {})) {
		if (k.startsWith('on'))
			x.addEventListener(k.slice(2), v);
		else if (k === 'class')
			x.className = v;
		else
			x.setAttribute(k, v);
	}
	x.append(...children.filter(c => c !== null && c !== undefined));
	return x;
}

/* Names that begin alike differ at their end: a long text gives way in the middle. */
const TAIL = 8, SHORT = 12;

function elided(text, tail = TAIL) {
	if (text.length <= SHORT)
		return element('span', {}, text);
	return element('span', { class: 'elided', title: text }, element('span', {}, text.slice(0, -tail)), element('span', {}, text.slice(-tail)));
}

/* The same where only characters can be counted. */
function cut(text, most, tail = TAIL) {
	return text.length > most ? text.slice(0, most - 1 - tail) + '…' + text.slice(-tail) : text;
}

/* A thread's number, that of the REPL, and its colour. */
const THREAD_COLOURS = 8;

function chip(index) {
	return element('span', { class: 'chip', style: `background: var(--thread-${index % THREAD_COLOURS})` }, String(index + 1));
}

/* A thread's chip and name; without an index, of gatectl, the name. */
function threadText(index, id) {
	return element('span', { class: 'thread' }, index === undefined ? null : chip(index), elided(id));
}
