/** Each way into the page, through the server that people use. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aProject, effect } from '../scenarios/project.ts'
import { aServer } from '../scenarios/server/server-process.ts'
import { aSmallIssuer } from '../scenarios/server/small-issuer.ts'
import { axeFaults } from './axe.ts'
import { aBrowser, aPage, faultsOf, HAS_CHROMIUM, PHONE, signedIn } from './scene.ts'

const script = [{ calls: [effect('tc_1', 'applied')] }, 'Done.']
const policy = { default: 'prompt' }

describe.skipIf(!HAS_CHROMIUM)('signing in', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await aBrowser()
  })
  afterAll(() => browser?.close())

  test('the link of `holdpoint inbox` leads to the hold, signed in, and a second browser is told that it was used', async () => {
    await using project = await aProject({ script, policy })
    await using server = await aServer(project)
    const { json: started } = await server.send('/v1/threads', { body: { input: 'go' } })
    const holds = async () => (await server.send(`/v1/holds?run_id=${started.run_id}`)).json.holds
    await expect.poll(holds).toHaveLength(1)
    const [{ id }] = await holds()
    const { link } = (await project.holdpoint('inbox', '--json', id)).json
    const page = await aPage(browser, PHONE)
    await page.goto(link)
    await page.waitForURL(`${server.url}/holds/${id}`)
    await page.getByRole('button', { name: /^You are/ }).waitFor()
    expect(faultsOf(page)).toEqual([])
    const other = await aPage(browser)
    await other.goto(link)
    await other.getByText('This link was used already').waitFor()
    expect(await axeFaults(other)).toEqual([])
  })

  test('a person goes to the provider of their organisation, and comes back to where they were', async () => {
    await using issuer = await aSmallIssuer('holdpoint')
    const oidc = { issuer: issuer.url, client_id: 'holdpoint', title: 'Example', roles: { operator: ['*'] } }
    await using project = await aProject({ script, policy, config: { sign_in: { oidc } } })
    await project.holdpoint('trust', '--yes')
    await using server = await aServer(project, '--no-work')
    issuer.person = { sub: 'u1', email: 'ana@example.org', email_verified: true }
    const page = await aPage(browser)
    await page.goto(`${server.url}/?tool=run_command`)
    await page.getByRole('link', { name: 'Sign in with Example' }).click()
    await page.waitForURL(`${server.url}/?tool=run_command`)
    await page.getByRole('button', { name: /^You are ana@example.org/ }).waitFor()
    expect(faultsOf(page)).toEqual([])
  })

  test('who signs out everywhere has to sign in again in the other browser', async () => {
    await using project = await aProject({ script, policy })
    await using server = await aServer(project, '--no-work')
    const [desk, phone] = [await signedIn(browser, server.url), await signedIn(browser, server.url, PHONE)]
    await desk.getByRole('button', { name: /^You are/ }).click()
    await desk.getByRole('button', { name: 'Sign out everywhere' }).click()
    await desk.getByLabel('Token').waitFor()
    await phone.getByLabel('Token').waitFor()
  })
})
