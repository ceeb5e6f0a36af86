/** The example of docs/clients.md, started by its one command, in a page. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { JSDOM, VirtualConsole } from 'jsdom'
import { expect, test } from 'vitest'
import { aBrowser, inChromium } from '../chromium.ts'
import { installedExample } from '../installed-example.ts'
import { until } from './chat-client.ts'

interface Example extends AsyncDisposable {
  readonly url: string
  readonly directory: string
}

/** `npm start` of the example, without `npm install`: the packages are those of this suite. */
async function started(): Promise<Example> {
  const directory = await mkdtemp(join(tmpdir(), 'holdpoint-example-'))
  const start = await installedExample('ai-sdk-chat', directory)
  const child = spawn(process.execPath, [start], {
    env: { PATH: process.env['PATH'], HOME: directory, HOLDPOINT_ACTOR: 'ana', PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said: string[] = []
  const { promise: url, resolve: found, reject } = Promise.withResolvers<string>()
  createInterface(child.stderr).on('line', line => said.push(line))
  createInterface(child.stdout).on('line', line => {
    const address = /Open (\S+)/.exec(line)?.[1]
    if (address) found(address)
  })
  const ended = new Promise<void>(end => child.once('close', () => end()))
  ended.then(() => reject(new TypeError(said.join('\n')))).catch(() => {})
  return {
    url: await url,
    directory,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await ended
      await rm(directory, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** A page in jsdom, with the network and the streams of Node. */
async function aPage(url: string, hash = ''): Promise<JSDOM> {
  const script = await (await fetch(`${url}/page.js`)).text()
  const html = (await (await fetch(url)).text()).replace(/<script.*<\/script>/, '')
  const dom = new JSDOM(html, {
    url: `${url}/${hash}`,
    runScripts: 'outside-only',
    pretendToBeVisual: true,
    virtualConsole: new VirtualConsole(),
  })
  const { window } = dom
  Object.assign(window, {
    fetch: (path: string, init?: RequestInit) => fetch(new URL(path, url), init),
    ...{ ReadableStream, TransformStream, TextDecoderStream, TextEncoderStream, TextDecoder, TextEncoder },
    ...{ Response, Request, Headers, AbortController, AbortSignal, structuredClone, DOMException },
  })
  // A module may wait at its top, and jsdom runs no modules.
  window.eval(`(async () => {${script}\n})()`)
  return dom
}

function button({ window }: JSDOM, name: string): Promise<HTMLButtonElement> {
  const all = () => [...window.document.querySelectorAll('button')]
  return until(() => all().find(({ textContent }) => textContent?.trim() === name) as HTMLButtonElement | undefined)
}

function type({ window }: JSDOM, label: string, text: string): void {
  const form = window.document.querySelector(`form[aria-label="${label}"], form:has([aria-label="${label}"])`)
  const input = form?.querySelector('input') as HTMLInputElement
  input.value = text
  form?.dispatchEvent(new window.Event('submit', { bubbles: true, cancelable: true }))
}

const shownIn = ({ window }: JSDOM) => window.document.body.textContent ?? ''

test('the example asks, waits for an approval over a reload, and does what was approved once', async () => {
  await using example = await started()
  const page = await aPage(example.url)
  await button(page, 'Send')
  type(page, 'Message', 'Write a greeting.')
  await button(page, 'Answer')
  expect(shownIn(page)).toContain('Whom shall I greet?')
  type(page, 'Answer', 'Ana')
  await button(page, 'Approve')
  expect(shownIn(page)).toContain('echo Hello > hello.txt')
  expect(existsSync(join(example.directory, 'hello.txt'))).toBe(false)

  const again = await aPage(example.url, page.window.location.hash)
  const approve = await button(again, 'Approve')
  approve.click()
  await until(() => shownIn(again).includes('The greeting is in hello.txt.'))
  expect(shownIn(again)).toContain('run_command: output-available (ana: approve)')
  expect(await readFile(join(example.directory, 'hello.txt'), 'utf8')).toBe('Hello\n')
})

inChromium('in Chromium the example does the same, and a rejection is told to the agent', async () => {
  await using example = await started()
  await using browser = await aBrowser()
  const page = await browser.newPage()
  await page.goto(example.url)
  await page.getByLabel('Message').fill('Write a greeting.')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByLabel('Whom shall I greet?').waitFor()
  const asked = await page.getByRole('article', { name: 'assistant' }).innerText()
  // The model answers at once: what it says is above what it asks all the same.
  expect(asked).toMatch(/^I will write a greeting\.\s+Whom shall I greet\?/)
  await page.getByLabel('Whom shall I greet?').fill('Ana')
  await page.getByRole('button', { name: 'Answer' }).click()
  await page.getByRole('button', { name: 'Approve' }).waitFor()
  const before = await page.getByRole('article', { name: 'assistant' }).innerText()
  await page.reload()
  await page.getByRole('button', { name: 'Approve' }).waitFor()
  expect(await page.getByRole('article', { name: 'assistant' }).innerText()).toBe(before)
  await page.getByRole('button', { name: 'Reject' }).click()
  await page.getByText('The greeting is in hello.txt.').waitFor()
  await page.getByText('output-denied').waitFor()
  expect(existsSync(join(example.directory, 'hello.txt'))).toBe(false)
})
