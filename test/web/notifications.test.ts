import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { command } from '../scenarios/project.ts'
import { TOKEN } from '../scenarios/server/server-process.ts'
import { aBrowser, aPage, aScene, faultsOf, HAS_CHROMIUM, type Scene } from './scene.ts'

/**
 * Notes the holds whose notification is there. To ask Chromium for all of them while it shows one makes it forget that
 * one, so the tests ask only behind this.
 */
const NOTES_SHOWN = `
  globalThis.shown = []
  const { showNotification } = ServiceWorkerRegistration.prototype
  ServiceWorkerRegistration.prototype.showNotification = async function (title, options) {
    await showNotification.call(this, title, options)
    setTimeout(() => globalThis.shown.push(options.tag), 200)
  }`

/** A page that nobody looks at, whose person wants notifications. */
async function callable(browser: Browser, scene: Scene): Promise<Page> {
  const page = await aPage(browser)
  await page.context().grantPermissions(['notifications'], { origin: scene.url })
  await page.addInitScript('document.hasFocus = () => false')
  await page.addInitScript(NOTES_SHOWN)
  await page.goto(scene.url)
  await page.getByLabel('Token').fill(TOKEN)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: /^You are/ }).click()
  const choice = page.getByLabel('Notify me when something waits')
  await choice.click()
  await expect.poll(() => choice.isChecked()).toBe(true)
  await page.keyboard.press('Escape')
  return page
}

const SHOWN = `navigator.serviceWorker.ready
  .then(worker => worker.getNotifications())
  .then(all => all.map(({ title, body, tag, actions = [] }) => ({ title, body, tag, actions: actions.length })))`

describe.skipIf(!HAS_CHROMIUM)('notifications', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await aBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })

  test('P1: the service worker shows the act, leads to its card, decides nothing, and takes back what is decided', async () => {
    await using scene = await aScene({
      script: [{ calls: [command('tc_1', 'echo one')] }, 'Done.'],
      policy: { default: 'prompt' },
    })
    const page = await callable(browser, scene)
    await scene.start('Say one')
    const [held] = await scene.holds(1)
    const one = { title: expect.stringContaining('echo one'), body: expect.stringContaining('Say one') }
    const shown = () => page.evaluate('shown')
    await expect.poll(shown).toEqual([held.id])
    expect(await page.evaluate(SHOWN)).toEqual([{ ...one, tag: held.id, actions: 0 }])
    const [worker] = page.context().serviceWorkers()
    await worker?.evaluate(`registration.getNotifications().then(([notification]) =>
      dispatchEvent(new NotificationEvent('notificationclick', { notification })))`)
    await page.waitForURL(`**/holds/${held.id}`)
    expect((await scene.holds(1))[0].status).toBe('open')

    await scene.start('Say it again')
    const [next] = (await scene.holds(2)).filter(({ id }) => id !== held.id)
    const tags = async () => ((await page.evaluate(SHOWN)) as { tag: string }[]).map(({ tag }) => tag)
    await expect.poll(shown).toContain(next.id)
    expect(await tags()).toContain(next.id)
    await scene.server.send(`/v1/holds/${next.id}/decisions`, { body: { verdict: 'reject' } })
    await expect.poll(tags).not.toContain(next.id)
    expect(faultsOf(page)).toEqual([])
  })

  test('a hold that opened while no change reached the page calls once it is back, and none calls twice', async () => {
    await using scene = await aScene({
      script: [{ calls: [command('tc_1', 'echo one')] }, 'Done.'],
      policy: { default: 'prompt' },
    })
    const page = await callable(browser, scene)
    const shown = () => page.evaluate('shown')
    const opened: string[] = []
    const open = async () => {
      await scene.start()
      const holds = await scene.holds(opened.length + 1)
      opened.push(holds.find(({ id }) => !opened.includes(id)).id)
    }
    const away = async () => {
      await page.context().setOffline(true)
      await page.getByText('The server cannot be reached.').first().waitFor()
    }
    await open()
    await expect.poll(shown).toEqual(opened)
    await away()
    await open()
    // The page cannot continue after the last event that it has.
    const json = { status: 409, code: 'unknown_position', detail: 'There is no such position.' }
    await page.route('**/v1/changes', route => route.fulfill({ status: 409, json }), { times: 1 })
    await page.context().setOffline(false)
    await expect.poll(shown).toEqual(opened)
    await away()
    await open()
    await page.context().setOffline(false)
    await expect.poll(shown).toEqual(opened)
    expect(faultsOf(page)).toEqual([])
  })

  test('the page can be installed', async () => {
    await using scene = await aScene({ script: ['Done.'] })
    const page = await aPage(browser)
    await page.goto(scene.url)
    const session = await page.context().newCDPSession(page)
    const { errors, data } = await session.send('Page.getAppManifest')
    expect([errors, JSON.parse(data ?? '{}')]).toMatchObject([[], { name: 'Holdpoint', display: 'standalone' }])
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors')
    expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([])
  })
})
