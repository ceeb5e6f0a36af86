import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { command } from '../scenarios/project.ts'
import { axeFaults } from './axe.ts'
import { aBrowser, aScene, faultsOf, HAS_CHROMIUM, PHONE, type Scene, signedIn } from './scene.ts'

describe.skipIf(!HAS_CHROMIUM)('the load on people', () => {
  let browser: Browser
  let scene: Scene
  beforeAll(async () => {
    browser = await aBrowser()
    const calls = [command('tc_1', 'git status'), command('tc_2', 'git status -s'), command('tc_3', 'git push')]
    scene = await aScene({ script: [{ calls }, 'Done.'], policy: { default: 'prompt' } })
  })
  afterAll(async () => {
    await browser?.close()
    await scene?.[Symbol.asyncDispose]()
  })

  test('says that nobody was asked, then how much and how hastily, and what a rule would have spared', async () => {
    const page = await signedIn(browser, scene.url, { path: '/load' })
    await page.getByText('Nobody was asked anything').waitFor()
    await scene.start()
    for (const { id, call_id } of await scene.holds(3))
      await scene.server.send(`/v1/holds/${id}/decisions`, {
        body: { verdict: call_id === 'tc_3' ? 'reject' : 'approve', reason: 'not now' },
      })
    await page.reload()
    await page.getByRole('heading', { name: 'Over time' }).waitFor()
    await page.getByText('2 approved by a person to whom Holdpoint did not show them').waitFor()
    expect(await page.getByRole('region', { name: 'Load by tool' }).textContent()).toContain('run_command')
    await page.getByText('2 of 3 approvals').waitFor()
    await page.getByRole('button', { name: '30 days' }).click()
    await page.waitForURL(/days=30/)
    expect(await axeFaults(page)).toEqual([])
    expect(faultsOf(page)).toEqual([])
  })

  test('is read on a phone without scrolling sideways', async () => {
    const page = await signedIn(browser, scene.url, { path: '/load', ...PHONE })
    await page.getByRole('heading', { name: 'Over time' }).waitFor()
    const room = page.locator('main > div')
    expect(await room.evaluate(box => (box as { scrollWidth: number }).scrollWidth)).toBeLessThanOrEqual(390)
    expect(await axeFaults(page)).toEqual([])
  })
})
