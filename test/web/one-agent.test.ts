/** One agent on the page: it is told, decided about, ended and started there. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeFaults } from './axe.ts'
import { aFleetScene, type FleetScene, STAYS } from './fleet-scene.ts'
import { aBrowser, faultsOf, HAS_CHROMIUM, PHONE, signedIn } from './scene.ts'

function standing(page: Page, status: string) {
  return page.getByRole('region', { name: 'The agent' }).locator('header').getByText(status, { exact: true })
}

describe.skipIf(!HAS_CHROMIUM)('one agent', () => {
  let browser: Browser
  let scene: FleetScene
  beforeAll(async () => {
    browser = await aBrowser()
    scene = await aFleetScene()
  })
  afterAll(async () => {
    await browser?.close()
    await scene?.[Symbol.asyncDispose]()
  })

  async function opened(name: string, options: Parameters<typeof signedIn>[2] = {}): Promise<Page> {
    const page = await signedIn(browser, scene.url, { ...options, path: '/agents' })
    await page
      .getByRole('link', { name: new RegExp(`^${name}`) })
      .first()
      .click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
    return page
  }

  test('what it asks is decided in its place, by key, and the agent goes on before the eyes of the person', async () => {
    await scene.spawn('deployer', 'deploy')
    await scene.until('deployer', 'waiting')
    const page = await opened('deployer')
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    const done = page.getByText('Deployed.').last()
    // A key that comes in the first moment of a card decides nothing.
    await expect
      .poll(async () => {
        await page.keyboard.press('a')
        return done.isVisible()
      })
      .toBe(true)
    await standing(page, 'done').waitFor()
    expect(await scene.project.effects()).toEqual(['applied'])
    expect(faultsOf(page)).toEqual([])
  })

  test('P4: a message is in the conversation, the agent answers, and one that is done goes on with it', async () => {
    await scene.spawn('talker', 'talk', ...STAYS)
    await scene.until('talker', 'idle')
    const page = await opened('talker')
    await page.getByRole('textbox', { name: 'Message' }).fill('Sort them.')
    await page.keyboard.press('Enter')
    await page.getByText('That is done.').last().waitFor()
    await standing(page, 'idle').waitFor()
    await page.getByRole('button', { name: 'End it' }).click()
    await standing(page, 'done').waitFor()
    await page.getByRole('textbox', { name: 'Message' }).fill('One more thing.')
    await page.keyboard.press('Enter')
    await page.getByText('And that, too.').last().waitFor()
    expect(faultsOf(page)).toEqual([])
  })

  test('what a tool prints is shown as it comes, and a message may interrupt it', async () => {
    await scene.spawn('builder', 'build', ...STAYS)
    await scene.until('builder', 'running')
    const page = await opened('builder')
    await page.getByText(/step \d+\s+step \d+/).waitFor()
    await page.getByRole('button', { name: 'Interrupt' }).click()
    await page.getByRole('textbox', { name: 'Message' }).fill('Stop that.')
    await page.keyboard.press('Enter')
    await page.getByText('Stop that.').last().waitFor()
    await standing(page, 'idle').waitFor()
    expect(faultsOf(page)).toEqual([])
  })

  test('it is killed only after a second word, then started anew, and forked', async () => {
    await scene.spawn('loser', 'talk', ...STAYS)
    await scene.until('loser', 'idle')
    const page = await opened('loser')
    await page.getByRole('button', { name: 'Kill…' }).click()
    await page.getByRole('button', { name: 'Let it go on' }).click()
    expect((await scene.until('loser', 'idle', 'killed')).status).toBe('idle')
    await page.getByRole('button', { name: 'Fork…' }).click()
    await page.getByLabel('Its name (may be left out)').fill('branch')
    await page.getByRole('button', { name: 'Fork it' }).click()
    await page.getByRole('heading', { level: 1, name: 'branch' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'loser' }).waitFor()
    await page.getByRole('button', { name: 'Kill…' }).click()
    await page.getByLabel(/^Why\?/).fill('not needed')
    await page.getByRole('button', { name: 'Kill it' }).click()
    await standing(page, 'killed').waitFor()
    await page.getByText('takes no message').waitFor()
    const before = page.url()
    await page.getByRole('button', { name: 'Respawn' }).click()
    await expect.poll(() => page.url()).not.toBe(before)
    await standing(page, 'idle').waitFor()
    expect(faultsOf(page)).toEqual([])
  })

  test('P3: one whose machine lost power is resumed by a person, who is asked about the call that was cut', async () => {
    await scene.spawn('cut', 'build')
    const page = await opened('cut')
    await page.getByText(/step \d+/).waitFor()
    scene.loseProcesses()
    await standing(page, 'crashed').waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await standing(page, 'waiting').waitFor()
    await page.getByText('in doubt').first().waitFor()
    expect(faultsOf(page)).toEqual([])
  })

  test('one that another agent started is listed with the name of that one', async () => {
    await scene.spawn('lead', 'lead', '-t', 'subagent_task')
    await scene.until('lead', 'done')
    const page = await signedIn(browser, scene.url, { path: '/agents' })
    await page.getByText(/started by lead/).waitFor()
    expect(faultsOf(page)).toEqual([])
  })

  test('P1: one that is over is taken off the list, and work that is only in its worktree is named before it is deleted', async () => {
    scene.repository()
    await scene.spawn('drafter', 'talk', '--worktree')
    const { worktree } = await scene.until('drafter', 'idle', 'done', 'parked', 'waiting')
    await scene.agents('kill', 'drafter')
    await scene.until('drafter', 'killed', 'done')
    writeFileSync(join(worktree.path, 'draft.md'), 'not committed')
    const page = await opened('drafter')
    await page.getByRole('button', { name: 'Remove…' }).click()
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Remove it' }).click()
    await page.getByText('draft.md').waitFor()
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Keep it' }).click()
    expect(existsSync(join(worktree.path, 'draft.md'))).toBe(true)
    await page.getByRole('button', { name: 'Remove…' }).click()
    await page.getByRole('button', { name: 'Remove it' }).click()
    await page.getByRole('button', { name: 'Delete that work, and remove it' }).click()
    await page.getByText('Choose an agent').or(page.getByText('No agents in the background')).waitFor()
    await page.getByRole('link', { name: /^drafter/ }).waitFor({ state: 'detached' })
    expect(existsSync(worktree.path)).toBe(false)
    expect((await scene.agents('show', 'drafter')).exit).toBe(2)
    expect(faultsOf(page)).toEqual([])
  })

  test('the form of a new agent offers the agents of the project, and each bad value is refused at its field', async () => {
    await scene.project.write('.holdpoint/agents/writer.md', '---\nname: writer\n---\nWrite well.\n')
    const page = await signedIn(browser, scene.url, { path: '/agents' })
    await page.getByRole('button', { name: 'New agent' }).click()
    await page.getByLabel('What shall it do?').fill('Write it.')
    const agent = page.getByLabel('Agent', { exact: true })
    await expect.poll(() => agent.getByRole('option').allInnerTexts()).toContain('writer')
    const faultOf = async (label: string) => {
      await page.getByRole('button', { name: 'Start it' }).click()
      await page.getByRole('alert').waitFor()
      const id = await page.getByLabel(label, { exact: true }).getAttribute('aria-describedby')
      return page.locator(`[id="${id}"]`).innerText()
    }
    await page.getByLabel('Idle for at most, in seconds').fill('soon')
    expect(await faultOf('Idle for at most, in seconds')).toMatch(/number/)
    await page.getByLabel('Idle for at most, in seconds').fill('3600')
    await page.getByLabel('After that').selectOption('park')
    await page.getByLabel('Name (may be left out)').fill('task_1')
    expect(await faultOf('Name (may be left out)')).toMatch(/not with task_/)
    expect(await axeFaults(page)).toEqual([])
    await page.getByLabel('Name (may be left out)').fill('scribe')
    await page.getByRole('button', { name: 'Start it' }).click()
    await page.getByRole('heading', { level: 1, name: 'scribe' }).waitFor()
    const { interactive } = await scene.until('scribe', 'idle')
    expect(interactive).toEqual({ idle_timeout_ms: 3_600_000, on_idle: 'park' })
    expect(faultsOf(page)).toEqual([])
  })

  test('an agent is started on a phone, and a name that is taken is refused with the words kept', async () => {
    const page = await signedIn(browser, scene.url, { ...PHONE, colorScheme: 'dark', path: '/agents' })
    await page.getByRole('button', { name: 'New agent' }).click()
    await page.getByLabel('What shall it do?').fill('Tidy up.')
    await page.getByLabel('Name (may be left out)').fill('tidy one')
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Start it' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByLabel('What shall it do?').inputValue()).toBe('Tidy up.')
    await page.getByLabel('Name (may be left out)').fill('tidy')
    await page.getByRole('button', { name: 'Start it' }).click()
    await page.getByRole('heading', { level: 1, name: 'tidy' }).waitFor()
    await standing(page, 'idle').waitFor()
    expect(await axeFaults(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(faultsOf(page)).toEqual([])
  })

  test('who may only look sees all of it, and nothing to press', async () => {
    const token = (await scene.project.holdpoint('tokens', 'add', 'vic', '--role', 'viewer')).stdout.trim()
    await scene.spawn('shown', 'talk', ...STAYS)
    await scene.until('shown', 'idle')
    const page = await opened('shown', { token })
    await page.getByText('Your role is viewer').waitFor()
    for (const name of ['New agent', 'Kill…', 'End it'])
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    expect(await axeFaults(page)).toEqual([])
  })
})
