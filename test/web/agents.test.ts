/** The room of the agents in the background. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeFaults } from './axe.ts'
import { aFleetScene, type FleetScene, STAYS } from './fleet-scene.ts'
import { aBrowser, faultsOf, HAS_CHROMIUM, PHONE, signedIn } from './scene.ts'

/** The rows of a group, each by its text. */
async function rowsOf(page: Page, group: string): Promise<string[]> {
  return page.getByRole('region', { name: group, exact: true }).getByRole('listitem').allInnerTexts()
}

describe.skipIf(!HAS_CHROMIUM)('the room of agents', () => {
  let browser: Browser
  let scene: FleetScene
  beforeAll(async () => {
    browser = await aBrowser()
    scene = await aFleetScene()
    await scene.spawn('talker', 'talk', ...STAYS)
    await scene.spawn('reporter', 'report')
    await scene.spawn('deployer', 'deploy')
    await scene.until('talker', 'idle')
    await scene.until('deployer', 'waiting')
    await scene.until('reporter', 'done')
  })
  afterAll(async () => {
    await browser?.close()
    await scene?.[Symbol.asyncDispose]()
  })

  test('those that need a person stand first, each with what it asks or said last', async () => {
    const page = await signedIn(browser, scene.url, { path: '/agents' })
    await page.getByRole('region', { name: 'Waits for a person' }).waitFor()
    expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual([
      expect.stringMatching(/^Waits for a person/),
      expect.stringMatching(/^Waits for a message/),
      expect.stringMatching(/^Over/),
      'Choose an agent',
    ])
    expect(await rowsOf(page, 'Waits for a person')).toEqual([expect.stringMatching(/deployer[\s\S]*effects\.log/)])
    const [talker] = await rowsOf(page, 'Waits for a message')
    expect(talker).toMatch(/talker[\s\S]*idle[\s\S]*for \d+ min more[\s\S]*What shall I do with them\?/)
    expect(await rowsOf(page, 'Over')).toEqual([expect.stringMatching(/reporter[\s\S]*three tests are slow/)])
  })

  test('with keys alone: to an agent, to what it asks, and back', async () => {
    const page = await signedIn(browser, scene.url, { path: '/agents' })
    await page.getByText('deployer').first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'deployer' }).waitFor()
    await page.keyboard.press('j')
    await page.getByRole('heading', { level: 1, name: 'talker' }).waitFor()
    await page.keyboard.press('k')
    await page.getByRole('heading', { level: 1, name: 'deployer' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Choose an agent').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('slow')
    await page.getByRole('region', { name: 'Waits for a person' }).waitFor({ state: 'detached' })
    expect(await rowsOf(page, 'Over')).toHaveLength(1)
    await page.getByLabel('Filter the agents').fill('')
    await page.getByText('deployer').first().waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('h')
    await page.waitForURL('**/holds/hold_*')
    expect(faultsOf(page)).toEqual([])
  })

  test.each([
    ['light, on a desk', { colorScheme: 'light' }],
    ['dark, on a phone', { ...PHONE, colorScheme: 'dark' }],
  ] as const)('the list and an agent are without faults in %s', async (_where, context) => {
    const page = await signedIn(browser, scene.url, { ...context, path: '/agents' })
    await page.getByText('deployer').first().waitFor()
    expect(await axeFaults(page)).toEqual([])
    await page
      .getByRole('link', { name: /deployer/ })
      .first()
      .click()
    await page.getByText('Write effects.log').first().waitFor()
    expect(await axeFaults(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(faultsOf(page)).toEqual([])
  })

  test('a process that parks or comes back is shown at once, and a page at rest asks for nothing', async () => {
    await scene.spawn('sleeper', 'talk', '--interactive', '--idle-timeout', '2', '--on-idle', 'park')
    const page = await signedIn(browser, scene.url, { path: '/agents' })
    const rowIn = (group: string) =>
      page.getByRole('region', { name: group, exact: true }).getByRole('link', { name: /sleeper/ })
    await rowIn('Parked').waitFor()
    const looks: string[] = []
    page.on('request', request => looks.push(request.url()))
    // The end of its process comes a moment after its row says parked.
    const looksInThreeSeconds = async () => {
      looks.length = 0
      await page.waitForTimeout(3_000)
      return looks.filter(url => url.includes('/v1/agents'))
    }
    await expect.poll(looksInThreeSeconds).toEqual([])
    await scene.agents('send', 'sleeper', 'And now?')
    await rowIn('Waits for a message').waitFor()
    await rowIn('Parked').waitFor()
    expect(faultsOf(page)).toEqual([])
  })

  test('an agent that is spawned, rests and ends elsewhere moves in the list by itself', async () => {
    const page = await signedIn(browser, scene.url, { path: '/agents' })
    await page.getByText('deployer').first().waitFor()
    await scene.spawn('mover', 'talk', ...STAYS)
    const rowIn = (group: string) =>
      page.getByRole('region', { name: group, exact: true }).getByRole('link', { name: /mover/ })
    await rowIn('Waits for a message').waitFor()
    await scene.agents('kill', 'mover')
    await rowIn('Over').waitFor()
    expect(faultsOf(page)).toEqual([])
  })
})
