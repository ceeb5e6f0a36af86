import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillWithHolds, longThread } from './filled-store.ts'
import { aBrowser, aScene, faultsOf, HAS_CHROMIUM, type Scene, signedIn } from './scene.ts'

const OPEN = 10_000
/** In the list at once: what is in view, and a few around it. */
const MOST_DRAWN = 40

describe.skipIf(!HAS_CHROMIUM)('10,000 open holds', () => {
  let browser: Browser
  let scene: Scene
  beforeAll(async () => {
    browser = await aBrowser()
    scene = await aScene({ script: [] }, '--no-work')
    await fillWithHolds(scene.project.directory, OPEN)
  })
  afterAll(async () => {
    await browser?.close()
    await scene?.[Symbol.asyncDispose]()
  })

  test('are scrolled to their end and looked through, while only the rows in view are drawn', async () => {
    const page = await signedIn(browser, scene.url)
    const list = page.getByRole('list', { name: 'Holds' })
    await list.getByRole('link').first().waitFor()
    const drawn = async () => expect(await list.getByRole('listitem').count()).toBeLessThan(MOST_DRAWN)
    await drawn()
    // The end moves away for as long as there are more of them.
    await expect
      .poll(async () => {
        await list.evaluate(box => {
          ;(box as { scrollTop: number }).scrollTop = Number.MAX_SAFE_INTEGER
        })
        return page.getByText('10,000 waiting', { exact: true }).count()
      })
      .toBe(1)
    await list.getByRole('link', { name: /order-1-49/ }).waitFor()
    await drawn()

    await page.getByLabel('Tool').selectOption('refund')
    await page.getByText(/^2,5\d\d\+? waiting$|^\d+\+ waiting$/).waitFor()
    await page.getByLabel('Filter the list').fill('order-2-48 support')
    await page.getByText('Nothing fits the filter').waitFor()
    await page.getByLabel('Filter the list').fill('order-1-48 support')
    await expect.poll(() => list.getByRole('link').count()).toBeGreaterThan(5)
    expect(faultsOf(page)).toEqual([])
  })

  test('P2: one that is decided elsewhere leaves a list that was read to its end, and only its run is asked for again', async () => {
    const page = await signedIn(browser, scene.url, { path: '/?words=order-0-0' })
    await page.getByText(/^\d+ waiting$/).waitFor()
    const before = Number.parseInt((await page.getByText(/^\d+ waiting$/).textContent()) ?? '', 10)
    const asked: string[] = []
    page.on('request', request => {
      if (request.url().includes('/v1/inbox')) asked.push(new URL(request.url()).search)
    })
    const { json } = await scene.server.send('/v1/holds?agent=shop&tool=deploy&limit=1')
    const [hold] = json.holds
    await scene.server.send(`/v1/holds/${hold.id}/decisions`, { body: { verdict: 'reject' } })
    await page.getByText(`${before - 1} waiting`, { exact: true }).waitFor()
    // The count of what waits for this person is a request of its own, for no more than it shows.
    expect(asked.filter(search => search !== '?mine=true&limit=99')).toEqual([
      expect.stringContaining(`run_id=${hold.run_id}`),
    ])
  })

  test('a long conversation shows its end first, and what was said before step by step', async () => {
    const thread = await longThread(scene.project.directory, 500)
    const page = await signedIn(browser, scene.url, { path: `/threads/${thread}` })
    await page.getByText('That was all.').waitFor()
    const log = page.getByRole('log')
    expect(await log.getByRole('article').count()).toBe(200)
    await page.getByRole('button', { name: 'Earlier messages: 302' }).click()
    await page.getByRole('button', { name: 'Earlier messages: 102' }).click()
    await log.getByText('Look at everything').waitFor()
    expect(await page.getByRole('button', { name: /^Earlier/ }).count()).toBe(0)
    expect(faultsOf(page)).toEqual([])
  })
})
