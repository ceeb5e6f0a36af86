import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { command } from '../scenarios/project.ts'
import { TOKEN } from '../scenarios/server/server-process.ts'
import { axeFaults } from './axe.ts'
import { aBrowser, aPage, aScene, faultsOf, HAS_CHROMIUM, PHONE, type Scene, signedIn } from './scene.ts'

/** So many commands, each of which asks. */
async function asking(...commands: string[]): Promise<Scene> {
  const calls = commands.map((text, at) => command(`tc_${at + 1}`, text))
  const scene = await aScene({ script: [{ calls }, 'Done.'], policy: { default: 'prompt' } })
  await scene.start()
  await scene.holds(commands.length)
  return scene
}

async function decided(scene: Scene): Promise<readonly string[]> {
  const { json } = await scene.server.send('/v1/holds?status=decided')
  return json.holds.map(({ arguments: args }: { arguments: { command: string } }) => args.command).toSorted()
}

/** Stands in for the notifications of a browser without service workers, and records them. */
const NOTIFICATIONS = `
  delete Navigator.prototype.serviceWorker
  globalThis.shown = []; globalThis.asked = 0
  globalThis.Notification = class {
    static permission = 'default'
    static async requestPermission() { globalThis.asked += 1; return this.permission = 'granted' }
    constructor(title, options) { globalThis.shown.push(this); Object.assign(this, { title, ...options }) }
    close() {}
  }
  document.hasFocus = () => globalThis.isBefore === true
`

/** The card of this command is open. */
async function cardOf(page: Page, text: string): Promise<void> {
  await page.getByRole('region', { name: 'The hold' }).getByText(text, { exact: true }).first().waitFor()
  await page.getByRole('link', { name: text }).and(page.locator('[aria-current]')).waitFor()
}

describe.skipIf(!HAS_CHROMIUM)('the flow', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await aBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })

  test('a key that moves leaves what had the focus: Enter opens the hold, and presses no filter', async () => {
    await using scene = await asking('echo one', 'echo two')
    const page = await signedIn(browser, scene.url)
    await page.getByRole('link', { name: /echo one/ }).waitFor()
    await page.getByRole('button', { name: 'Mine' }).focus()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await cardOf(page, 'echo two')
    expect(await page.getByRole('button', { name: 'Mine' }).getAttribute('aria-pressed')).toBe('false')
    await page.keyboard.press('Escape')
    const box = page.getByRole('checkbox', { name: /echo two/ })
    await box.focus()
    await page.keyboard.press('k')
    await page.keyboard.press('Space')
    expect(await box.isChecked()).toBe(false)
  })

  test('after a decision the next card opens, if this browser is to, and what came of the last one stays in view', async () => {
    await using scene = await asking('echo one; exit 3', 'echo two', 'echo three')
    const page = await signedIn(browser, scene.url)
    await page.getByRole('button', { name: /^You are/ }).click()
    await page.getByLabel('After a decision, open the next one').check()
    expect(await axeFaults(page)).toEqual([])
    await page.reload()
    await page.getByRole('link', { name: /echo one/ }).click()
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    const yes = page.getByRole('dialog').getByRole('button').last()
    if (await yes.isVisible().catch(() => false)) await yes.click()
    await cardOf(page, 'echo two')
    await page
      .getByRole('status')
      .getByText(/It failed .*exit 3/)
      .first()
      .waitFor()
    expect(await decided(scene)).toEqual(['echo one; exit 3'])
    await page.waitForTimeout(600)
    await page.keyboard.press('r')
    await page.keyboard.press('Control+Enter')
    await cardOf(page, 'echo three')
    await page.waitForTimeout(600)
    await page.keyboard.press('r')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Nothing waits').waitFor()
    expect(faultsOf(page)).toEqual([])
  })

  test('P1: a double click decides one hold, and not the next one', async () => {
    await using scene = await aScene({
      script: [
        {
          calls: ['one', 'two', 'three'].map((question, at) => ({
            ...{
              id: `tc_${at + 1}`,
              name: 'ask_human',
              args: { question: `Take ${question}?`, choices: ['yes', 'no'] },
            },
          })),
        },
        'Done.',
      ],
      policy: { default: 'prompt' },
    })
    await scene.start()
    await scene.holds(3)
    const page = await signedIn(browser, scene.url, PHONE)
    await page.evaluate("localStorage.setItem('holdpoint.goes-on', 'on')")
    await page.reload()
    await page.getByRole('link', { name: /Take one/ }).click()
    const {
      x = 0,
      y = 0,
      width = 0,
      height = 0,
    } = (await page.getByRole('button', { name: 'yes' }).boundingBox()) ?? {}
    await page.mouse.dblclick(x + width / 2, y + height / 2, { delay: 60 })
    await page.getByRole('heading', { level: 1, name: 'Take two?' }).waitFor()
    await page.waitForTimeout(800)
    const { json } = await scene.server.send('/v1/holds?status=decided')
    expect(json.holds).toHaveLength(1)
    await page.getByRole('button', { name: 'no' }).click()
    await page.getByRole('heading', { level: 1, name: 'Take three?' }).waitFor()
  })

  test('the title, the icon and the room say how many wait for this person', async () => {
    await using scene = await asking('echo one', 'echo two')
    const page = await signedIn(browser, scene.url)
    const icon = () => page.evaluate("decodeURIComponent(document.querySelector('link[rel=icon]').href)")
    await expect.poll(() => page.title()).toBe('(2) Holdpoint')
    expect(await icon()).toContain('>2</text>')
    await page.getByRole('link', { name: 'Inbox 2 wait for you' }).waitFor()
    const [hold] = await scene.holds(2)
    await scene.server.send(`/v1/holds/${hold.id}/decisions`, { body: { verdict: 'reject' } })
    await expect.poll(() => page.title()).toBe('(1) Holdpoint')
    const vera = (await scene.project.holdpoint('tokens', 'add', 'vera', '--role', 'viewer')).stdout.trim()
    const other = await signedIn(browser, scene.url, { token: vera })
    await other.getByText('not yours').first().waitFor()
    expect(await other.title()).toBe('Holdpoint')
    expect(faultsOf(page)).toEqual([])
  })

  test('P1: a notification is a choice, names the act, leads to its card, and decides nothing', async () => {
    await using scene = await aScene({
      script: [{ calls: [command('tc_1', 'echo one')] }, 'Done.'],
      policy: { default: 'prompt' },
    })
    const page = await aPage(browser)
    await page.addInitScript(NOTIFICATIONS)
    await page.goto(scene.url)
    await page.getByLabel('Token').fill(TOKEN)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Nothing waits').waitFor()
    await scene.start('Say one')
    await page.getByRole('link', { name: /echo one/ }).waitFor()
    expect(await page.evaluate('[shown.length, asked]')).toEqual([0, 0])
    await page.getByRole('button', { name: /^You are/ }).click()
    await page.getByLabel('Notify me when something waits').check()
    await expect.poll(() => page.evaluate('asked')).toBe(1)
    await page.keyboard.press('Escape')
    const { run_id } = await scene.start('Say it again')
    await expect.poll(() => page.evaluate('shown.length')).toBe(1)
    expect(await page.evaluate('shown[0].title')).toContain('echo one')
    expect(await page.evaluate('shown[0].body')).toContain('Say it again')
    await page.evaluate('isBefore = true; shown[0].onclick()')
    await cardOf(page, 'echo one')
    expect(await decided(scene)).toEqual([])
    const held = (await scene.holds(2)).find(hold => hold.run_id === run_id)
    expect(page.url()).toContain(held.id)
    // Nobody is called who has the page before them.
    await scene.start('And again')
    await scene.holds(3)
    await expect.poll(() => page.title()).toBe('(3) Holdpoint')
    expect(await page.evaluate('shown.length')).toBe(1)
  })
})
