import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { command, effect } from '../scenarios/project.ts'
import { axeFaults } from './axe.ts'
import { aBrowser, aScene, faultsOf, HAS_CHROMIUM, PHONE, type Scene, signedIn } from './scene.ts'

const script = [
  { text: 'I look first.', calls: [command('tc_1', 'echo looked')] },
  { text: 'Now I deploy.', calls: [effect('tc_2', 'applied')] },
  'It is deployed.',
]
const policy = {
  default: 'auto',
  rules: [{ tool: 'run_command', match: { command: '*effects.log*' }, policy: 'prompt' }],
}

describe.skipIf(!HAS_CHROMIUM)('the rooms beside the inbox', () => {
  let browser: Browser
  let scene: Scene
  /** A run that waits, and its hold. */
  let run: { readonly run_id: string; readonly thread_id: string }
  let holdId: string
  beforeAll(async () => {
    browser = await aBrowser()
    scene = await aScene({ script, policy })
    run = await scene.start('Deploy the shop.')
    holdId = (await scene.holds(1))[0].id
  })
  afterAll(async () => {
    await browser?.close()
    await scene?.[Symbol.asyncDispose]()
  })

  test.each([
    ['light, on a desk', { colorScheme: 'light' }],
    ['dark, on a phone', { ...PHONE, colorScheme: 'dark' }],
  ] as const)('each room is without faults in %s', async (_where, context) => {
    const page = await signedIn(browser, scene.url, context)
    const rooms: readonly (readonly [path: string, text: string])[] = [
      ['/runs', 'Deploy the shop.'],
      [`/runs/${run.run_id}`, 'echo applied'],
      [`/threads/${run.thread_id}`, 'Run echo applied'],
      ['/grants', 'Nothing passes unasked'],
      ['/audit?show=everything', 'default asks whether it may do “Run echo applied'],
      ['/search?words=SHOP', 'Deploy the'],
    ]
    for (const [path, text] of rooms) {
      await page.goto(scene.url + path)
      await page.getByText(text).first().waitFor()
      expect(await axeFaults(page), path).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), path).toBe(true)
    }
    expect(faultsOf(page)).toEqual([])
  })

  test('a run over time has its waits, and says why each tool ran', async () => {
    const page = await signedIn(browser, scene.url, { path: `/runs/${run.run_id}` })
    await page.getByText(/^echo looked/).click()
    await page.getByText('Policy let it pass: default: auto.').waitFor()
    await page
      .getByText(/^echo applied/)
      .first()
      .click()
    await page.getByRole('link', { name: 'What was asked, and all that happened to it' }).click()
    await page.waitForURL(`**/holds/${holdId}`)
  })

  test('words search what was said, and an id opens the thing', async () => {
    const page = await signedIn(browser, scene.url, { path: '/search' })
    await page.getByLabel('Words, or an id').fill('looked')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: /echo looked/ }).waitFor()
    await page.getByLabel('Words, or an id').fill(holdId)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/holds/${holdId}`)
  })

  test('in a conversation /deny and /approve decide what is shown there, and nothing else does', async () => {
    const page = await signedIn(browser, scene.url, { path: `/threads/${run.thread_id}` })
    const composer = page.getByLabel('Message')
    await composer.fill('/approved')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('/approved is not a command.').waitFor()
    await composer.fill('/approve hold_other')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('hold_other does not wait in this conversation.').waitFor()
    await composer.fill('/approve')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('It is deployed.').waitFor()
    expect(await composer.inputValue()).toBe('')
    expect(await scene.project.effects()).toEqual(['applied'])

    const second = await scene.start('Deploy the blog.')
    await scene.holds(1)
    await page.goto(`${scene.url}/threads/${second.thread_id}`)
    await page.getByText('Run echo applied').first().waitFor()
    await composer.fill('/deny not on a Friday')
    await page.keyboard.press('Enter')
    await page.getByText('reject: not on a Friday').waitFor()
    expect(await scene.project.effects()).toEqual(['applied'])
    expect(faultsOf(page)).toEqual([])
  })

  test('P1: /approve asks once more about what deletes, says what it deletes, and leaves an override to its card', async () => {
    const calls = (text: string) => [{ text: 'I clean up.', calls: [command('tc_1', text)] }, 'Clean.']
    const typed = async (deed: string, rules: readonly object[]) => {
      const own = await aScene({ script: calls(deed), policy: { default: 'prompt', rules } })
      const { thread_id } = await own.start('Clean up.')
      const page = await signedIn(browser, own.url, { path: `/threads/${thread_id}` })
      await page.getByText('Clean up.').first().waitFor()
      await page.getByRole('button', { name: 'Approve', exact: true }).scrollIntoViewIfNeeded()
      await page.getByLabel('Message').fill('/approve')
      await page.getByRole('button', { name: 'Send' }).click()
      return { page, [Symbol.asyncDispose]: () => own[Symbol.asyncDispose]() }
    }
    await using high = await typed('rm -f gone.txt', [])
    await high.page.getByText('It deletes gone.txt.', { exact: true }).waitFor()
    const dialog = high.page.getByRole('dialog', { name: 'Run rm -f gone.txt? It deletes gone.txt.' })
    await dialog.getByRole('button', { name: 'Approve' }).click()
    await high.page.getByText('Clean.').last().waitFor()
    const never = { tool: 'run_command', match: { command: 'rm *' }, policy: 'never' }
    await using override = await typed('rm -f gone.txt', [never])
    await override.page.getByText('POLICY SAYS NEVER').first().waitFor()
    await override.page.getByText('This wants more than a command').waitFor()
  })

  test('P10: the browser verifies the log by itself, and knows it again', async () => {
    const page = await signedIn(browser, scene.url, { path: '/audit' })
    await page.getByRole('button', { name: 'Verify the log' }).click()
    await page.getByText(/records of the log of the server: nothing is wrong/).waitFor()
    await page.getByRole('button', { name: 'Verify the log' }).click()
    await page.getByText('What this browser saw earlier is still there, unchanged.').waitFor()
    await page.getByText('Compare with an end').click()
    await page.getByLabel('The end that you noted').fill(`1:${'0'.repeat(64)}`)
    await page.getByRole('button', { name: 'Verify the log' }).click()
    await page.getByText('Record 1 was noted with the hash 0000').waitFor()
    const { stdout } = await scene.project.holdpoint('audit', '--json')
    await page.getByLabel('The end that you noted').fill('')
    const buffer = Buffer.from(stdout.replace('"seq":3,', '"seq":4,'))
    await page.getByLabel('The file of an export').setInputFiles({ name: 'log.jsonl', mimeType: 'text/plain', buffer })
    await page.getByText(/records of log.jsonl: \d+ fault/).waitFor()
  })

  test('a standing approval is listed, and revoked once more asked', async () => {
    const { run_id } = await scene.start('Deploy the docs.')
    const [hold] = await scene.holds(1)
    expect(hold.run_id).toBe(run_id)
    const grant = { name: 'deploys', scope: 'project' }
    await scene.server.send(`/v1/holds/${hold.id}/decisions`, { body: { verdict: 'approve', grant } })
    const page = await signedIn(browser, scene.url, { path: '/grants' })
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Nothing passes unasked').waitFor()
    await page.getByLabel('Also those that ended').check()
    await page.getByText('revoked', { exact: true }).waitFor()
  })
})
