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
    expect(await page.getByRole('table', { name: 'Load by tool' }).textContent()).toContain('run_command')
    await page.getByText('2 of 3 approvals').waitFor()
    await page.getByRole('button', { name: '30 days' }).click()
    await page.waitForURL(/days=30/)
    expect(await axeFaults(page)).toEqual([])
    expect(faultsOf(page)).toEqual([])
  })

  test('P1: an operator switches a suggested rule on with its evidence in view, and takes it back in the same place', async () => {
    const added = await scene.project.holdpoint('tokens', 'add', 'olga', '--role', 'operator')
    const page = await signedIn(browser, scene.url, { path: '/grants', token: added.stdout.trim() })
    const card = page.getByRole('list', { name: 'Suggested rules' }).getByRole('listitem').first()
    await card.getByText('git status*').waitFor()
    expect(await card.textContent()).toContain('Approved 2 times by ana')
    expect(await card.textContent()).toContain('Of 3 answers on record')
    await card.getByText('What it would have let pass').click()
    await card.getByText('git status -s').waitFor()
    expect(await page.getByText('git push').count()).toBe(0)
    expect(await axeFaults(page)).toEqual([])

    await card.getByRole('button', { name: 'Switch on…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Until').selectOption({ label: 'a week from now' })
    expect(await axeFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Switch on' }).click()
    await page.getByText('Given by olga').waitFor()
    await page.getByText('No other rule would have spared').waitFor()
    const [grant] = (await scene.server.send('/v1/grants')).json.grants
    expect(grant).toMatchObject({ granted_by: 'olga', surface: 'inbox', scope: 'project', tool: 'run_command' })
    expect(Math.round((Date.parse(grant.expires_at) - Date.parse(grant.granted_at)) / 86_400_000)).toBe(7)

    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Nothing passes unasked').waitFor()
    await card.getByText('git status*').waitFor()
    expect(faultsOf(page)).toEqual([])
  })

  test('P1: suggestions are for operators', async () => {
    const added = await scene.project.holdpoint('tokens', 'add', 'dan', '--role', 'decider')
    const page = await signedIn(browser, scene.url, { path: '/grants', token: added.stdout.trim() })
    await page.getByText('Nothing passes unasked').waitFor()
    expect(await page.getByText('Suggested rules').count()).toBe(0)
    const rule = { agent: 'default', tool: 'run_command', match: { command: 'git status*' } }
    const given = await scene.server.send('/v1/grants', { token: added.stdout.trim(), body: rule })
    expect(given).toMatchObject({ status: 403, json: { code: 'role_not_sufficient' } })
    const refused = { ...rule, match: { command: 'git *' } }
    expect(await scene.server.send('/v1/grants', { body: refused })).toMatchObject({
      status: 422,
      json: { code: 'invalid_grant', detail: expect.stringContaining('git push') },
    })
  })

  test('is read on a phone without scrolling sideways', async () => {
    const page = await signedIn(browser, scene.url, { path: '/load', ...PHONE })
    await page.getByRole('heading', { name: 'Over time' }).waitFor()
    const room = page.locator('main > div')
    expect(await room.evaluate(box => (box as { scrollWidth: number }).scrollWidth)).toBeLessThanOrEqual(390)
    expect(await axeFaults(page)).toEqual([])
  })
})
