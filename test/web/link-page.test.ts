import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aMailServer } from '../scenarios/notices/mail-server.ts'
import { aProject, effect, type Project } from '../scenarios/project.ts'
import { aServer, doneRun, type ServerProcess } from '../scenarios/server/server-process.ts'
import { axeFaults } from './axe.ts'
import { aBrowser, aPage, DESKTOP, faultsOf, HAS_CHROMIUM, PHONE } from './scene.ts'

const script = [{ text: 'I will deploy.', calls: [effect('tc_1', 'applied')] }, 'Deployed.']

interface Mailed extends AsyncDisposable {
  readonly project: Project
  readonly server: ServerProcess
  readonly runId: string
  /** The address of the link in the mail, at the port of this test. */
  readonly link: string
}

async function aMail(): Promise<Mailed> {
  const stack = new AsyncDisposableStack()
  const mail = stack.use(await aMailServer())
  const project = stack.use(
    await aProject({
      ...{ script, policy: { default: 'prompt' }, env: { SMTP_URL: mail.url } },
      config: {
        people: { ana: { mail: 'ana@example.org' } },
        deciders: { people: ['ana'] },
        notify: {
          base_url: 'https://holds.example.org',
          channels: { mail: { smtp_env: 'SMTP_URL', from: 'holds@example.org' } },
        },
      },
    }),
  )
  await project.holdpoint('trust', '--yes')
  const server = stack.use(await aServer(project))
  const { json } = await server.send('/v1/threads', { body: { input: 'deploy' } })
  await expect.poll(() => mail.mails.length).toBe(1)
  const path = /https:\/\/holds\.example\.org(\/l\/\S+)/.exec(mail.mails[0]?.text ?? '')?.[1] ?? ''
  return {
    ...{ project, server, runId: json.run_id, link: `${server.url}${path}` },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

describe.runIf(HAS_CHROMIUM)('the page of a link', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await aBrowser()
  })
  afterAll(() => browser.close())

  test('a person without an account approves on a phone, with scripts off', async () => {
    await using mailed = await aMail()
    const page = await aPage(browser, { ...PHONE, javaScriptEnabled: false })
    await page.goto(mailed.link)
    expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual(['Run echo applied >> effects.log'])
    expect(await page.textContent('body')).toContain('asks you, ana')
    await page.getByRole('button', { name: /^Approve/ }).click()
    await page.getByRole('heading', { name: 'Recorded' }).waitFor()
    await doneRun(mailed.server, mailed.runId)
    expect(await mailed.project.effects()).toEqual(['applied'])
    await page.goto(mailed.link)
    expect(await page.textContent('body')).toContain('This link was used: ana chose approve')
    expect(faultsOf(page)).toEqual([])
  })

  test('the button of a mail leads to its form: Reject is unfolded', async () => {
    await using mailed = await aMail()
    const page = await aPage(browser, PHONE)
    await page.goto(`${mailed.link}#reject`)
    await page.getByLabel(/^Why/).fill('not today')
    await page.getByRole('button', { name: /^Reject:/ }).click()
    await page.getByRole('heading', { name: 'Recorded' }).waitFor()
    expect(faultsOf(page)).toEqual([])
  })

  test.each([
    ['phone', 'light', PHONE],
    ['small phone', 'dark', { ...PHONE, viewport: { width: 360, height: 740 } }],
    ['desktop', 'dark', DESKTOP],
  ] as const)('it can be used by everyone, on a %s in the %s', async (_device, colorScheme, device) => {
    await using mailed = await aMail()
    const page = await aPage(browser, { ...device, colorScheme })
    await page.goto(mailed.link)
    expect(await axeFaults(page)).toEqual([])
    const { y = 0, height = 0 } = (await page.getByText('Reject\u2026').boundingBox()) ?? {}
    expect(y + height).toBeLessThan(740)
    const sideways = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    expect(sideways).toBe(0)
    if (process.env['SHOTS'])
      await page.screenshot({ path: `${process.env['SHOTS']}/link-${colorScheme}.png`, fullPage: true })
    await page.getByText('Reject\u2026').click()
    await page.getByLabel(/^Why/).fill('not on a Friday')
    await page.getByRole('button', { name: /^Reject/ }).click()
    await page.getByRole('heading', { name: 'Recorded' }).waitFor()
    expect(await axeFaults(page)).toEqual([])
    expect(faultsOf(page)).toEqual([])
  })
})
