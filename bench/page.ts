/** The page of the server in a real Chromium, on loopback. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser, Page, Response } from 'playwright-core'
import { aCorpusScene } from '../test/web/corpus/corpus-scene.ts'
import { decideByKeys } from '../test/web/corpus/decide-by-keys.ts'
import { fillWithHolds } from '../test/web/filled-store.ts'
import { aBrowser, DESKTOP, HAS_CHROMIUM, signedIn } from '../test/web/scene.ts'
import { openStore, Served, tokensOf } from './served.ts'
import { median, type Row } from './table.ts'

const OPEN = 10_000
const LOADS = 10
const KEYS = 50
const ELSEWHERE = 20
const DECISIONS = 1_000
const MIXED = 30
const KB = 1_000
const MB = 1_000_000

interface Place {
  readonly browser: Browser
  readonly served: Served
  /** Of the person at the page, and of another one. */
  readonly tokens: readonly [string, string]
}

export async function measurePage(directory: string): Promise<Row[]> {
  if (!HAS_CHROMIUM) return [{ figure: 'there is no Chromium here' }]
  const home = join(directory, 'page')
  mkdirSync(join(home, '.holdpoint'), { recursive: true })
  await fillWithHolds(home, OPEN)
  await using holdpoint = await openStore(home)
  const [person = '', other = ''] = await tokensOf(holdpoint, 2)
  await using served = await Served.start(home, { args: ['--no-work'] })
  const browser = await aBrowser()
  const place: Place = { browser, served, tokens: [person, other] }
  try {
    return [
      ...(await loads(place)),
      await keyToNextCard(place),
      await decidedElsewhere(place),
      await wordsAmongAll(place),
      ...(await memory(place)),
      ...(await byKeys(browser)),
    ]
  } finally {
    await browser.close()
  }
}

/** Mixed holds, decided with the keyboard alone, and as fast as the page lets anybody. */
async function byKeys(browser: Browser): Promise<Row[]> {
  await using scene = await aCorpusScene()
  const page = await signedIn(browser, scene.url)
  const start = performance.now()
  const steps = await decideByKeys(page, MIXED)
  const seconds = (performance.now() - start) / 1_000
  const keys = steps.filter(({ risk }) => risk === 'ordinary').map(step => step.keys)
  await page.context().close()
  return [
    { figure: `${MIXED} mixed holds by keys, s`, times: 1, median: seconds, worst: seconds, wanted: '' },
    rowOf('keys for an ordinary one', keys, '<= 3'),
  ]
}

/** Each in a context of its own, so that nothing is in a cache, with the cookie of a person who signed in before. */
async function loads({ browser, served, tokens: [token] }: Place): Promise<Row[]> {
  const before = await signedIn(browser, served.url, { token })
  const storageState = await before.context().storageState()
  const times: { paint: number; list: number }[] = []
  const kept: Response[] = []
  let bytes = 0
  for (let round = 0; round < LOADS; round += 1) {
    const context = await browser.newContext({ ...DESKTOP, storageState })
    const page = await context.newPage()
    if (round === 0) page.on('response', response => void kept.push(response))
    await page.addInitScript(NOTES_FIRST_ROW)
    await page.goto(served.url)
    await page
      .getByRole('link', { name: /order-/ })
      .first()
      .waitFor()
    times.push(await page.evaluate(FIRST_TIMES))
    if (round === 0) bytes = await gzippedBytes(kept)
    await context.close()
  }
  await before.context().close()
  return [
    rowOf(
      'first paint, nothing cached, ms',
      times.map(({ paint }) => paint),
      '< 1000',
    ),
    rowOf(
      `then until a list of ${OPEN} holds takes keys, ms`,
      times.map(({ paint, list }) => list - paint),
      '< 300',
    ),
    { figure: 'first view, gzipped, KB', times: 1, median: bytes / KB, worst: bytes / KB, wanted: '< 150' },
  ]
}

/** Of a page whose open card is followed by another one: until its text is painted. */
async function keyToNextCard(place: Place): Promise<Row> {
  const page = await atHold(place)
  await page.evaluate(NOTES_CARDS)
  const times: number[] = []
  for (let round = 0; round < KEYS; round += 1) {
    await page.keyboard.press('j')
    times.push(await measured(page))
  }
  await page.context().close()
  return rowOf('from the key to the next card, ms', times, '< 50')
}

/** The policy of the page lets nothing wait in it. */
async function measured(page: Page): Promise<number> {
  for (;;) {
    const ms = await page.evaluate<number | null>('globalThis.cardMs')
    if (ms !== null) return ms
    await page.waitForTimeout(5)
  }
}

/** From the receipt of another person's decision until the card says who was first. */
async function decidedElsewhere(place: Place): Promise<Row> {
  const { served, tokens } = place
  const page = await atHold(place)
  const times: number[] = []
  for (let round = 0; round < ELSEWHERE; round += 1) {
    const id = page.url().split('/').at(-1) ?? ''
    await served.request(`/v1/holds/${id}/decisions`, { token: tokens[1], body: { verdict: 'reject' } })
    const start = performance.now()
    await page.getByText('rejected it').waitFor()
    times.push(performance.now() - start)
    await page.keyboard.press('j')
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
  }
  await page.context().close()
  return rowOf('decided elsewhere, until it is shown, ms', times, '< 1000')
}

/** Words that one of all the holds has, typed into the filter: the page looks through all of them. */
async function wordsAmongAll({ browser, served, tokens: [token] }: Place): Promise<Row> {
  const page = await signedIn(browser, served.url, { token })
  const times: number[] = []
  for (const words of ['order-2-49', 'order-1-48', 'order-0-47']) {
    const start = performance.now()
    await page.getByLabel('Filter the list').fill(words)
    await page
      .getByRole('link', { name: new RegExp(`${words}\\b`) })
      .first()
      .waitFor()
    await page.getByText(/^[\d,]+ waiting$/).waitFor()
    times.push(performance.now() - start)
  }
  await page.context().close()
  return rowOf(`words looked for in ${OPEN} holds, ms`, times, '')
}

/** A person at the page decides so many, one after another. */
async function memory(place: Place): Promise<Row[]> {
  const page = await atHold(place)
  const start = performance.now()
  const before = await heapOf(page)
  for (let round = 0; round < DECISIONS; round += 1) {
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('You approved it').waitFor()
    await page.keyboard.press('j')
  }
  const each = (performance.now() - start) / DECISIONS
  const after = await heapOf(page)
  await page.context().close()
  return [
    {
      figure: `memory after ${DECISIONS} decisions, MB`,
      times: 1,
      median: after / MB,
      worst: after / MB,
      wanted: '< 150',
    },
    { figure: 'memory before them, MB', times: 1, median: before / MB, worst: before / MB, wanted: '' },
    { figure: 'a decision by the button and the next card, ms', times: DECISIONS, median: each, worst: '', wanted: '' },
  ]
}

async function atHold({ browser, served, tokens: [token] }: Place): Promise<Page> {
  const page = await signedIn(browser, served.url, { token })
  await page
    .getByRole('link', { name: /order-/ })
    .first()
    .click()
  await page.getByRole('heading', { name: 'History' }).waitFor()
  return page
}

async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize
}

/** Of the document, its scripts and its styles. */
async function gzippedBytes(responses: readonly Response[]): Promise<number> {
  const files = responses.filter(each => ['document', 'script', 'stylesheet'].includes(each.request().resourceType()))
  const bodies = await Promise.all(files.map(each => each.body()))
  return bodies.reduce((bytes, body) => bytes + gzipSync(body).length, 0)
}

function rowOf(figure: string, times: readonly number[], wanted: string): Row {
  return { figure, times: times.length, median: median(times), worst: Math.max(...times), wanted }
}

/** In the page: when the first row of the list was there. */
const NOTES_FIRST_ROW = `new MutationObserver((_, watch) => {
  if (!document.querySelector('ul[aria-label=Holds] a')) return
  watch.disconnect()
  requestAnimationFrame(() => setTimeout(() => { globalThis.listAt = performance.now() }))
}).observe(document, { childList: true, subtree: true })`

const FIRST_TIMES = `({ paint: performance.getEntriesByName('first-contentful-paint')[0].startTime, list: globalThis.listAt })`

/** In the page: from each key until the card with its text was painted. */
const NOTES_CARDS = `(() => {
  const shown = () => document.querySelector('article')?.textContent ?? ''
  addEventListener('keydown', () => {
    const [start, before] = [performance.now(), shown()]
    globalThis.cardMs = null
    const watch = new MutationObserver(() => {
      if (shown() === '' || shown() === before) return
      watch.disconnect()
      requestAnimationFrame(() => { globalThis.cardMs = performance.now() - start })
    })
    watch.observe(document.body, { childList: true, subtree: true, characterData: true })
  }, true)
})()`
