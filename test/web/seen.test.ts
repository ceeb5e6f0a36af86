import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { effect } from '../scenarios/project.ts'
import { aBrowser, aScene, faultsOf, HAS_CHROMIUM, type Scene, signedIn } from './scene.ts'

const LINES = Array.from({ length: 400 }, (_, n) => `line ${n}`).join('\n')

describe.skipIf(!HAS_CHROMIUM)('how much of a hold was in view', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await aBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })

  /** Whether each look that is on record was at all of it. */
  async function looks({ server }: Scene, holdId: string): Promise<unknown[]> {
    const { json } = await server.send(`/v1/audit?hold_id=${holdId}&kind=hold.shown`)
    return json.records.map(({ record }: { record: { data: { in_full: boolean } } }) => record.data.in_full)
  }

  test('P10: the record and the keys agree: the end was in view, or it was not', async () => {
    const long = { id: 'tc_1', name: 'write_file', args: { path: 'a.txt', content: LINES } }
    const script = [{ calls: [long, effect('tc_2', 'short')] }, 'Done.']
    await using scene = await aScene({ script, policy: { default: 'prompt' } })
    await scene.start()
    const holds = await scene.holds(2)
    const [unread, read] = ['write_file', 'run_command'].map(name => holds.find(({ tool }) => tool === name).id)
    const page = await signedIn(browser, scene.url, { path: `/holds/${read}` })
    await expect.poll(() => looks(scene, read)).toEqual([false, true])
    await page.goto(`${scene.url}/holds/${unread}`)
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await page.waitForTimeout(400)
    await page.keyboard.press('a')
    await page.getByText('The end was not in view yet').waitFor()
    expect(await looks(scene, unread)).toEqual([false])

    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('You have not seen the end').waitFor()
    await page.getByRole('button', { name: 'Yes, approve it' }).click()
    await page.getByText('You approved it').waitFor()
    const { json: report } = await scene.server.send('/v1/report')
    expect(report.approved_not_to_the_end).toEqual({ count: 1, hold_ids: [unread] })
    await page.goto(`${scene.url}/load`)
    await page.getByText('1 approved without their end in view').waitFor()
    expect(faultsOf(page)).toEqual([])
  })

  test('P10: a look whose record was lost on the way is on record before the decision', async () => {
    const script = [{ calls: [effect('tc_1', 'one')] }, 'Done.']
    await using scene = await aScene({ script, policy: { default: 'prompt' } })
    await scene.start()
    const [{ id }] = await scene.holds(1)
    const page = await signedIn(browser, scene.url)
    await page.route('**/shown', route => route.abort(), { times: 1 })
    await page.goto(`${scene.url}/holds/${id}`)
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('You approved it').waitFor()
    expect((await looks(scene, id)).at(-1)).toBe(true)
    const { json: report } = await scene.server.send('/v1/report')
    expect(report.approved_not_to_the_end.count).toBe(0)
  })
})
