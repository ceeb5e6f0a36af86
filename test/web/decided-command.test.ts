/** What came of an approved command, wherever the page tells it: red if it failed, and only then. */
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ANSWERING_GREP, aDecidedCommand, type DecidedCommand, REFUSED_PUSH } from '../scenarios/decided-command.ts'
import { axeFaults } from './axe.ts'
import { aBrowser, faultsOf, HAS_CHROMIUM, signedIn } from './scene.ts'

interface Place {
  readonly name: string
  readonly path: string
  readonly ofFailure: string | RegExp
  /** Left out if the place does not tell an exit code that is an answer. */
  readonly ofAnswer?: string | RegExp
}

const PLACES: readonly Place[] = [
  {
    name: 'the card',
    path: '/holds/HOLD',
    ofFailure: /It failed after \d+ s with exit 1\./,
    ofAnswer: /exit 1, which is an answer/,
  },
  { name: 'the run', path: '/runs/RUN', ofFailure: 'failed: exit 1', ofAnswer: 'publish it' },
  { name: 'the timeline', path: '/runs/RUN', ofFailure: 'failed: exit 1', ofAnswer: 'exit 1, an answer' },
  { name: 'the list of runs', path: '/runs', ofFailure: 'failed: exit 1' },
  {
    name: 'the audit log',
    path: '/audit',
    ofFailure: /ana approved “Run git push .*; it failed after/,
    ofAnswer: /exit 1, which is an answer/,
  },
]

const COLOUR = (element: object) =>
  (globalThis as unknown as { getComputedStyle(of: object): { color: string } }).getComputedStyle(element).color

async function isRed(page: Page, told: Locator): Promise<boolean> {
  const red = await page.evaluate(`(() => {
    const sample = document.body.appendChild(document.createElement('i'))
    sample.className = 'text-bad'
    const { color } = getComputedStyle(sample)
    sample.remove()
    return color
  })()`)
  return (await told.evaluate(COLOUR)) === red
}

describe.skipIf(!HAS_CHROMIUM)('on the page', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await aBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })

  const at = ({ hold, run }: DecidedCommand, path: string) => path.replace('HOLD', hold).replace('RUN', run)

  test('a push that its remote refused is red wherever it is told, with its exit code', async () => {
    await using decided = await aDecidedCommand(REFUSED_PUSH)
    const page = await signedIn(browser, decided.server.url)
    for (const { name, path, ofFailure } of PLACES) {
      await page.goto(decided.server.url + at(decided, path))
      const told = page.getByText(ofFailure, { exact: true }).first()
      await told.waitFor()
      expect([name, await isRed(page, told)]).toEqual([name, true])
      expect([name, await axeFaults(page)]).toEqual([name, []])
    }
    await page.goto(decided.server.url + at(decided, '/holds/HOLD'))
    await page.getByText('That is what came of it.').waitFor()
    await page.getByText('main is frozen').waitFor()
    expect(faultsOf(page)).toEqual([])
  })

  test('a grep that found nothing is told with its exit code, and is red nowhere', async () => {
    await using decided = await aDecidedCommand(ANSWERING_GREP)
    const page = await signedIn(browser, decided.server.url)
    for (const { name, path, ofAnswer = 'done' } of PLACES) {
      await page.goto(decided.server.url + at(decided, path))
      const told = page.getByText(ofAnswer, { exact: true }).first()
      await told.waitFor()
      expect([name, await isRed(page, told)]).toEqual([name, false])
      expect([name, await page.getByText(/failed/).count()]).toEqual([name, 0])
    }
  })
})
