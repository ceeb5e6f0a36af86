import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { command, effect } from '../scenarios/project.ts'
import { axeFaults } from './axe.ts'
import { aBrowser, aScene, faultsOf, HAS_CHROMIUM, PHONE, signedIn } from './scene.ts'

const POLICY = {
  default: 'prompt',
  rules: [{ tool: 'run_command', match: { command: 'git push *' }, policy: 'never' }],
}
const CALLS = [
  effect('tc_1', 'one'),
  effect('tc_2', 'two'),
  command('tc_3', 'rm -f gone; echo three >> effects.log'),
  command('tc_4', 'git push origin main'),
]

/** As a person who scrolls through all of them. */
async function readAll(page: Page): Promise<void> {
  await page.getByRole('article').first().waitFor()
  for (const article of await page.getByRole('article').all())
    await article.evaluate(each => (each as { scrollIntoView(how: object): void }).scrollIntoView({ block: 'end' }))
}

describe.skipIf(!HAS_CHROMIUM)('several holds on one page', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await aBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })

  test('P9: the calls of one answer have a mark each: ordinary ones once they were seen, one that deletes by hand, an override never', async () => {
    await using scene = await aScene({ script: [{ calls: CALLS }, 'Done.'], policy: POLICY })
    const { run_id } = await scene.start()
    const holds = await scene.holds(4)
    const page = await signedIn(browser, scene.url, { path: `/holds/${holds[0].id}` })
    await page.getByRole('link', { name: 'Decide these 4 together' }).click()
    await page.getByRole('heading', { name: '4 to decide: run_command' }).waitFor()
    const boxes = page.getByRole('article').getByRole('checkbox')
    await readAll(page)
    const approve = page.getByRole('button', { name: /^Approve the \d marked$/ })
    await page.getByRole('button', { name: 'Approve the 2 marked' }).waitFor()
    expect(await boxes.nth(3).isDisabled()).toBe(true)
    for (const at of [0, 1]) await boxes.nth(at).uncheck()
    expect(await page.getByRole('button', { name: 'Mark what you have checked' }).isDisabled()).toBe(true)
    for (const at of [0, 2]) await boxes.nth(at).check()
    expect(await axeFaults(page)).toEqual([])
    await approve.click()
    await page.getByText('2 are recorded.').waitFor()
    const { json } = await scene.server.send(`/v1/holds?status=all&run_id=${run_id}`)
    const verdicts = json.holds.map(
      ({ decision }: { decision: { verdict: string } | null }) => decision?.verdict ?? null,
    )
    expect(verdicts).toEqual(['approve', null, 'approve', null])
    expect(faultsOf(page)).toEqual([])
  })

  test('alike holds of several runs are chosen with one press and rejected with one reason, on a phone', async () => {
    await using scene = await aScene({ script: [{ calls: [effect('tc_1', 'one')] }, 'Done.'], policy: POLICY })
    for (const task of ['Pay the first.', 'Pay the second.', 'Pay the third.']) await scene.start(task)
    await scene.holds(3)
    const page = await signedIn(browser, scene.url, PHONE)
    await page.getByRole('checkbox').first().check()
    await page.getByRole('button', { name: '2 more like this' }).click()
    await page.getByRole('button', { name: 'Look at all 3' }).click()
    await readAll(page)
    await page.getByRole('button', { name: 'Approve the 3 marked' }).waitFor()
    await page.getByLabel('All or none').check()
    await page.getByRole('button', { name: 'Reject…' }).click()
    await page.getByLabel('Why? The agents read it.').fill('not this month')
    await page.getByRole('button', { name: 'Reject the 3 marked' }).click()
    await page.getByText('3 are recorded.').waitFor()
    const { json } = await scene.server.send('/v1/holds?status=decided')
    for (const { decision } of json.holds)
      expect(decision).toMatchObject({ verdict: 'reject', reason: 'not this month' })
    expect(await scene.project.effects()).toEqual([])
    expect(faultsOf(page)).toEqual([])
  })

  test('a call that fails after it was approved with others turns red there by itself', async () => {
    const calls = [effect('tc_1', 'one'), command('tc_2', 'while [ ! -e gate ]; do sleep 0.1; done; exit 3')]
    await using scene = await aScene({ script: [{ calls }, 'Done.'], policy: POLICY })
    await scene.start()
    const ids = (await scene.holds(2)).map(({ id }) => id)
    const page = await signedIn(browser, scene.url, { path: `/together?holds=${ids.join(',')}` })
    await readAll(page)
    for (const box of await page.getByRole('article').getByRole('checkbox').all()) await box.check()
    await page.getByRole('button', { name: 'Approve the 2 marked' }).click()
    await page.getByText('It is running.').waitFor()
    await scene.project.write('gate', '')
    await page.getByText(/^It failed after .* with exit 3\.$/).waitFor()
    await page
      .getByText(/^It is done after/)
      .or(page.getByText(/^It ended after/))
      .waitFor()
    expect(await page.getByText(/^It is running|^It has not started/).count()).toBe(0)
    expect(faultsOf(page)).toEqual([])
  })

  test('P9: a hold with a look-alike says so in its row, and is marked by hand alone', async () => {
    const calls = [effect('tc_1', 'one'), effect('tc_2', 'p\u0430yp\u0430l')]
    await using scene = await aScene({ script: [{ calls }, 'Done.'], policy: POLICY })
    await scene.start()
    const ids = (await scene.holds(2)).map(({ id }) => id)
    const page = await signedIn(browser, scene.url)
    await page.getByText('look-alike', { exact: true }).waitFor()
    await page.goto(`${scene.url}/together?holds=${ids.join(',')}`)
    await readAll(page)
    await page.getByRole('button', { name: 'Approve the 1 marked' }).waitFor()
    const alike = page.getByRole('article').filter({ hasText: 'LOOK-ALIKE' })
    expect(await alike.getByTitle('It only looks like another letter').first().textContent()).toBe('\u0430')
    await alike.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Approve the 2 marked' }).waitFor()
    expect(await axeFaults(page)).toEqual([])
  })
})
