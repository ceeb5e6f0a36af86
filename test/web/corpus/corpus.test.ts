import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeFaults } from '../axe.ts'
import { fitFaults } from '../fit.ts'
import { aBrowser, DESKTOP, faultsOf, HAS_CHROMIUM, PHONE, signedIn } from '../scene.ts'
import { ALL, aCorpusScene, type CorpusScene } from './corpus-scene.ts'
import { decideByKeys } from './decide-by-keys.ts'

const WIDE = { ...DESKTOP, viewport: { width: 1440, height: 900 }, colorScheme: 'light' } as const
const SMALL = { ...PHONE, viewport: { width: 360, height: 640 }, colorScheme: 'dark' } as const

describe.skipIf(!HAS_CHROMIUM)('sixty holds of all kinds', () => {
  let browser: Browser
  let scene: CorpusScene
  beforeAll(async () => {
    browser = await aBrowser()
    scene = await aCorpusScene()
  })
  afterAll(async () => {
    await browser?.close()
    await scene?.[Symbol.asyncDispose]()
  })

  /** What does not fit, by the call of the card, and what axe finds on the first of them. */
  async function faultsOn(page: Page, calls: readonly string[]): Promise<Record<string, readonly string[]>> {
    const found: Record<string, readonly string[]> = {}
    for (const call of calls) {
      await page.goto(`${scene.url}/holds/${scene.hold[call]}`)
      await settled(page)
      const faults = [...(await fitFaults(page)), ...(call === calls[0] ? await axeFaults(page) : [])]
      if (faults.length > 0) found[call] = faults
    }
    return found
  }

  test.each(ALL)('the cards of $agent fit a small phone, and axe finds nothing in the dark', async ({ calls }) => {
    const page = await signedIn(browser, scene.url, SMALL)
    expect(await faultsOn(page, idsOf(calls))).toEqual({})
    expect(faultsOf(page)).toEqual([])
  })

  test('a card of each agent fits a wide screen', async () => {
    const page = await signedIn(browser, scene.url, WIDE)
    expect(
      await faultsOn(
        page,
        ALL.flatMap(({ calls }) => idsOf(calls.slice(0, 1))),
      ),
    ).toEqual({})
  })

  test('twenty of them are decided by keys alone, an ordinary one with three at most', async () => {
    expect(Object.keys(scene.hold).length).toBeGreaterThanOrEqual(60)
    const page = await signedIn(browser, scene.url)
    const steps = await decideByKeys(page, 20)
    const { json } = await scene.server.send('/v1/holds?status=decided&limit=500')
    expect(json.holds).toHaveLength(20)
    expect(
      steps
        .filter(({ risk }) => risk === 'ordinary')
        .map(({ keys }) => keys)
        .toSorted()
        .at(-1),
    ).toBeLessThanOrEqual(3)
    expect(new Set(steps.map(({ risk }) => risk))).toEqual(new Set(['ordinary', 'high', 'override']))
    expect(faultsOf(page)).toEqual([])
  })
})

function idsOf(calls: readonly { readonly id: string }[]): readonly string[] {
  return calls.map(({ id }) => id)
}

async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'History' }).waitFor()
  await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0)
}
