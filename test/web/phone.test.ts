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
    for (const name of ['Always allow…', 'Ask another person…', 'Cancel the call or the run…']) {
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

  test('a menu fits a phone on its side, and Escape closes it alone', async () => {
    const height = 390
    const page = await signedIn(browser, scene.url, { ...PHONE, viewport: { width: 844, height } })
    const card = `${scene.url}/holds/${scene.hold['tc_6']}`
    await page.goto(card)
    await settled(page)
    for (const [opener, id] of [
      [/^You are/, 'person-menu'],
      ['More choices', 'more-choices'],
    ] as const) {
      await page.getByRole('button', { name: opener }).click()
      const menu = page.locator(`#${id}`)
      const box = await menu.boundingBox()
      expect(box?.y).toBeGreaterThanOrEqual(0)
      expect((box?.y ?? 0) + (box?.height ?? height)).toBeLessThanOrEqual(height)
      expect(await fitFaults(page)).toEqual([])
      await menu.getByRole('button').last().scrollIntoViewIfNeeded()
      await page.keyboard.press('Escape')
      await menu.waitFor({ state: 'hidden' })
      expect(page.url()).toBe(card)
    }
    await page.keyboard.press('Escape')
    await page.waitForURL(url => url.pathname === '/')
  })

  test('after a decision the card shows its outcome, and rows of what was decided keep their age', async () => {
    const page = await signedIn(browser, scene.url, { ...PHONE, viewport: { width: 360, height: 640 } })
    await page.goto(`${scene.url}/holds/${scene.hold['tc_1']}`)
    await settled(page)
    await page.getByRole('heading', { name: 'History' }).scrollIntoViewIfNeeded()
    await page.getByRole('button', { name: 'Reject…' }).click()
    await page.getByLabel('Why? The agent reads it.').fill('Not on a Friday: the people who know the shop are away.')
    await page.getByRole('button', { name: 'Reject', exact: true }).click()
    const outcome = page.getByText('You rejected it')
    await outcome.waitFor()
    await expect.poll(async () => (await outcome.boundingBox())?.y ?? -1).toBeGreaterThan(0)
    await page.goto(`${scene.url}/?status=decided`)
    await settled(page)
    const row = page.getByRole('listitem').filter({ hasText: 'Not on a Friday' })
    const age = await row.locator('time').boundingBox()
    expect((age?.x ?? 360) + (age?.width ?? 0)).toBeLessThanOrEqual(360)
    expect(await fitFaults(page)).toEqual([])
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
