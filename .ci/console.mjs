// The console in a browser: `node console.mjs CHROMIUM URL FOLDER`. It speaks the DevTools protocol over two pipes, so it
// needs no packages and no port. Screenshots go to FOLDER.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const [chromium, url, folder] = process.argv.slice(2);
const PATIENCE = 20_000;

class Browser {
    #next = 0;
    #waiting = new Map();
    #listeners = [];

    constructor() {
        const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars',
            '--remote-debugging-pipe', `--user-data-dir=${path.join(folder, 'profile')}`, 'about:blank'];
        this.process = spawn(chromium, flags, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
        let rest = '';
        this.process.stdio[4].setEncoding('utf8');
        this.process.stdio[4].on('data', (data) => {
            const messages = (rest + data).split('\0');
            rest = messages.pop();
            for (const message of messages) this.#heard(JSON.parse(message));
        });
    }

    #heard(message) {
        const waiting = this.#waiting.get(message.id);
        this.#waiting.delete(message.id);
        if (message.error) waiting?.reject(new Error(`${waiting.method}: ${message.error.message}`));
        else waiting?.resolve(message.result);
        if (message.method) for (const listener of this.#listeners) listener(message);
    }

    on(listener) {
        this.#listeners.push(listener);
    }

    send(method, params = {}, sessionId) {
        const id = ++this.#next;
        this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
        return new Promise((resolve, reject) => this.#waiting.set(id, { method, resolve, reject }));
    }

    // A tab; what it complains about is kept.
    async tab({ width = 1280, height = 900, dark = false, scripts = true } = {}) {
        // In a window of its own: a page that nobody sees does not listen.
        const { targetId } = await this.send('Target.createTarget', { url: 'about:blank', newWindow: true });
        const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
        const tab = new Tab(this, sessionId, targetId);
        for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await tab.send(`${domain}.enable`);
        const mobile = width < 700;
        await tab.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: mobile ? 2 : 1, mobile });
        const features = [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }];
        await tab.send('Emulation.setEmulatedMedia', { features });
        await tab.send('Emulation.setScriptExecutionDisabled', { value: !scripts });
        return tab;
    }
}

class Tab {
    complaints = [];
    loads = 0;

    constructor(browser, session, target) {
        Object.assign(this, { browser, session, target });
        browser.on(({ method, params, sessionId }) => {
            if (sessionId !== session) return;
            if (method === 'Page.loadEventFired') this.loads += 1;
            if (method === 'Runtime.exceptionThrown') this.complaints.push(params.exceptionDetails.text);
            if (method === 'Runtime.consoleAPICalled') this.complaints.push(JSON.stringify(params.args));
            if (method === 'Log.entryAdded') this.complaints.push(`${params.entry.text} ${params.entry.url ?? ''}`);
        });
    }

    send(method, params) {
        return this.browser.send(method, params, this.session);
    }

    async until(what, is) {
        const end = Date.now() + PATIENCE;
        for (;;) {
            const found = await is();
            if (found) return found;
            if (Date.now() > end) throw new Error(`in vain: ${what}; ${await this.text('main')} ${this.complaints}`);
            await new Promise((resolve) => setTimeout(resolve, 50));
        }
    }

    async open(address) {
        const loads = this.loads;
        await this.send('Page.navigate', { url: address });
        await this.until(`${address} loads`, () => this.loads > loads);
    }

    // The DevTools' own scripts run where those of the page do not.
    async evaluate(expression) {
        const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, returnByValue: true });
        if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description}`);
        return result.value;
    }

    text(selector) {
        return this.evaluate(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ''`).catch(() => '');
    }

    async click(selector) {
        const loads = this.loads;
        await this.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
        await this.until(`${selector} leads somewhere`, () => this.loads > loads);
    }

    async fill(title, value) {
        await this.evaluate(`(() => {
            const label = [...document.querySelectorAll('label')].find((each) => each.textContent.startsWith(${JSON.stringify(title)}));
            const input = document.getElementById(label.htmlFor);
            if (input.type === 'checkbox' || input.type === 'radio') return input.click();
            input.focus();
            input.value = ${JSON.stringify(value)};
            input.dispatchEvent(new Event('input', { bubbles: true }));
        })()`);
    }

    async shoot(name) {
        const { cssContentSize: { width, height } } = await this.send('Page.getLayoutMetrics');
        const clip = { x: 0, y: 0, width, height: Math.min(height, 4000), scale: 1 };
        const { data } = await this.send('Page.captureScreenshot', { clip, captureBeyondViewport: true });
        fs.writeFileSync(path.join(folder, `${name}.png`), data, 'base64');
        const wide = await this.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
        assert.equal(wide, 0, `${name} is wider than its window`);
    }

    close() {
        return this.browser.send('Target.closeTarget', { targetId: this.target });
    }
}

const LOOKS = [
    ['desktop-light', {}],
    ['desktop-dark', { dark: true }],
    ['mobile-light', { width: 390, height: 844 }],
    ['mobile-dark', { width: 390, height: 844, dark: true }],
];

async function main(browser) {
    const tab = await browser.tab();
    await tab.open(url);
    assert.match(await tab.evaluate('location.pathname'), /\/tasks$/);
    // Nobody reloads: the list hears of what happens.
    const loads = tab.loads;
    const row = (tool) => `[...document.querySelectorAll('tbody tr')].find((row) => row.querySelector('a').textContent === '${tool}')`;
    const stands = async (tool, state) => (await tab.evaluate(`${row(tool)}?.querySelector('.badge').textContent`)) === state;
    for (const [tool, state] of [['fax', 'failed'], ['archive', 'sleeping'], ['sign', 'waiting'], ['summarize', 'waiting'], ['publish', 'waiting']]) {
        await tab.until(`${tool} is ${state}`, () => stands(tool, state));
    }
    assert.equal(tab.loads, loads, 'the list was loaded again');
    console.log('the list follows what happens, without a reload');
    const link = (tool) => tab.evaluate(`${row(tool)}.querySelector('a').href`);
    const pages = { list: `${url}/tasks` };
    for (const tool of ['fax', 'archive', 'sign', 'summarize', 'publish']) pages[tool] = await link(tool);

    for (const [look, options] of LOOKS) {
        const looking = await browser.tab(options);
        for (const [name, address] of Object.entries(pages)) {
            await looking.open(address);
            await looking.shoot(`${name}-${look}`);
        }
        assert.deepEqual(looking.complaints, [], look);
        await looking.close();
    }
    console.log('five tasks and their list, in light and dark, on a desk and in a hand: nothing is wider than its window');

    // What no browser would let pass.
    await tab.open(pages.publish);
    const form = 'form[action$="/answer"]';
    await tab.evaluate(`document.querySelector('${form}').noValidate = true`);
    await tab.fill('title', 'ab');
    await tab.click('button[value=accept]');
    assert.match(await tab.text('main'), /At least 3 characters/);
    assert.equal(await tab.evaluate('document.querySelector("input[name=\\"field.title\\"]").value'), 'ab');
    await tab.shoot('publish-refused');
    tab.complaints = tab.complaints.filter((complaint) => !complaint.includes('422'));
    console.log('an answer that does not fit is shown with what is wrong');

    // Filled in, while the page follows another change.
    await tab.open(pages.publish);
    await tab.fill('title', 'The year in charts');
    const other = await browser.tab();
    await other.open(pages.publish);
    await tab.evaluate('document.querySelector("select").value = "Public"');
    await tab.fill('copies', '120');
    await tab.fill('Sales', '');
    await tab.fill('contact', 'press@office.example');
    await tab.fill('on', '2026-12-01');
    await tab.fill('Yes', '');
    await tab.shoot('publish-filled');
    await tab.click('button[value=accept]');
    assert.match(await tab.evaluate('location.pathname'), /\/tasks\/[^/]+$/);
    const answered = tab.loads;
    await tab.until('the next question', async () => (await tab.text('main')).includes('Really for everybody?'));
    await other.until('the other tab sees it, too', async () => (await other.text('main')).includes('Really for everybody?'));
    assert.equal(tab.loads, answered);

    // The other one answers; this one has begun to, and is told.
    await tab.fill('No', '');
    await other.fill('Yes', '');
    await other.click('button[value=accept]');
    const completed = other.loads;
    await other.until('it is completed', async () => (await other.text('h1')).includes('completed'));
    assert.match(await other.text('#outcome'), /The year in charts.*120 copies/s);
    await tab.until('it is completed here, too', async () => (await tab.text('h1')).includes('completed'));
    assert.match(await tab.text('main'), /This is not asked any more/);
    assert.deepEqual([tab.loads, other.loads], [answered, completed], 'a page was loaded again');
    await other.shoot('publish-completed');
    console.log('an answer is given, and its task is seen to complete without a reload, here and in another tab');

    // Without scripts.
    const plain = await browser.tab({ scripts: false });
    await plain.open(pages.list);
    assert.match(await plain.text('main'), /archive/);
    await plain.open(pages.archive);
    assert.match(await plain.text('main'), /Legs/);
    assert.equal(await plain.evaluate('document.querySelectorAll("svg.flow .here").length'), 1);
    await plain.evaluate('document.querySelector("#cancel details").open = true');
    await plain.click('#cancel button');
    await plain.until('it is cancelled', async () => {
        await plain.open(pages.archive);
        return (await plain.text('h1')).includes('cancelled');
    });
    await plain.shoot('archive-cancelled');
    console.log('without scripts the pages are read, and a task is cancelled');
    for (const each of [tab, other, plain]) assert.deepEqual(each.complaints, []);
    console.log('the browser had nothing to complain about');
}

const browser = new Browser();
try {
    await main(browser);
} finally {
    browser.process.kill('SIGKILL');
}
