import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeFaults } from './axe.ts'
import { aCorpusScene, type CorpusScene, HARD } from './corpus/corpus-scene.ts'
import { fitFaults } from './fit.ts'
import { aBrowser, faultsOf, HAS_CHROMIUM, PHONE, signedIn } from './scene.ts'

const SIZES = [
  ['a small phone', 360, 640],
  ['a phone', 390, 844],
  ['a phone on its side', 800, 360],
] as const

describe.skipIf(!HAS_CHROMIUM)('on a phone', () => {
  let browser: Browser
  let scene: CorpusScene
  beforeAll(async () => {
    browser = await aBrowser()
    scene = await aCorpusScene([HARD])
    await scene.server.send(`/v1/holds/${scene.hold['tc_5']}/decisions`, { body: { verdict: 'reject', reason: 'no' } })
  })
  afterAll(async () => {
    await browser?.close()
    await scene?.[Symbol.asyncDispose]()
  })

  test.each(SIZES)(
    'each room and each card fits %s (%i x %i), without a scroll in a scroll',
    async (_, width, height) => {
      const page = await signedIn(browser, scene.url, { ...PHONE, viewport: { width, height } })
      const found: Record<string, readonly string[]> = {}
      const look = async (name: string) => {
        const faults = await fitFaults(page)
        if (faults.length > 0) found[name] = faults
      }
      for (const [name, path] of placesOf(scene)) {
        await page.goto(scene.url + path)
        await settled(page)
        await look(name)
      }
      expect(found).toEqual({})
      expect(faultsOf(page)).toEqual([])
    },
  )

  test('what opens over a card fits a small phone too, and axe finds nothing', async () => {
    const page = await signedIn(browser, scene.url, { ...PHONE, viewport: { width: 360, height: 640 } })
    await page.goto(`${scene.url}/holds/${scene.hold['tc_6']}`)
    await settled(page)
    const found: Record<string, readonly string[]> = {}
    const look = async (name: string) => {
      const faults = [...(await fitFaults(page)), ...(await axeFaults(page))]
      if (faults.length > 0) found[name] = faults
    }
    await page.getByRole('button', { name: 'Edit' }).click()
    await look('the form')
    await page.getByRole('button', { name: 'Back' }).click()
    await page.getByRole('button', { name: 'Reject…' }).click()
    await look('a reason')
    await page.getByRole('button', { name: 'Back' }).click()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await look('the second question')
    await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click()
    for (const name of ['Always allow…', 'Ask another person…', 'Cancel…']) {
      await page.getByRole('button', { name: 'More choices' }).click()
      await look('more choices')
      await page.getByRole('button', { name }).click()
      await look(name)
      await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click()
    }
    await page.getByRole('button', { name: /^You are/ }).click()
    await look('the menu of the person')
    expect(found).toEqual({})
  })
})

function placesOf({ hold, of }: CorpusScene): readonly (readonly [name: string, path: string])[] {
  return [
    ...(['agents', 'runs', 'grants', 'audit', 'load', 'search?words=shop'] as const).map(
      room => [room, `/${room}`] as const,
    ),
    ['the inbox', '/'],
    ['what was decided', '/?status=decided'],
    ['a run', `/runs/${of['writer']?.run_id}`],
    ['a conversation', `/threads/${of['writer']?.thread_id}`],
    ...Object.entries(hold).map(([call, id]) => [`the hold of ${call}`, `/holds/${id}`] as const),
    ['nothing', '/nowhere'],
  ]
}

async function settled(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^You are/ }).waitFor()
  await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0)
  await page.waitForTimeout(150)
}
