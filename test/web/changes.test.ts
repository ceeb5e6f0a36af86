/** P9: what is decided is what was on the screen, also when it changes while it is there. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemIds } from '../../src/hosts/process/system-ids.ts'
import { callDigest } from '../../src/runtime/definitions/call-digest.ts'
import { openDatabase } from '../open-database.ts'
import { aProject, effect, type Project } from '../scenarios/project.ts'
import { aServer } from '../scenarios/server/server-process.ts'
import { aBrowser, aScene, faultsOf, HAS_CHROMIUM, signedIn } from './scene.ts'

/** An agent whose tool pays an amount of this unit. */
function agentWith(unit: string): string {
  return `import { appendFile } from 'node:fs/promises'
import { defineAgent, defineTool } from 'holdpoint'

const pay = defineTool({
  name: 'pay',
  description: 'Pay money back',
  inputSchema: {
    type: 'object',
    properties: { order: { type: 'string' }, amount: { type: 'number', description: 'In ${unit}.' } },
    required: ['order', 'amount'],
  },
  execute: async ({ amount }, { workdir }) => {
    await appendFile(workdir + '/effects.log', amount + ' ${unit}\\n')
    return 'paid'
  },
})

export default defineAgent({ name: 'support', instructions: 'Help.', model: 'script:script.json', tools: [pay] })
`
}

const AGENT = '.holdpoint/agents/support.ts'

/** Writes other arguments into the one hold, with the digest that fits them. No process tells of it. */
function forge(project: Project, args: object): void {
  using file = openDatabase(project.path('.holdpoint/holdpoint.db'))
  const { asked } = file.prepare('SELECT asked FROM holds').get() as { asked: string }
  const hold = { ...JSON.parse(asked), arguments: args }
  const call = { ...hold, name: 'run_command', schema: hold.tool_schema, preview: hold.preview?.digest ?? null }
  file.prepare('UPDATE holds SET asked = ?').run(JSON.stringify({ ...hold, digest: callDigest(systemIds, call) }))
}

describe.skipIf(!HAS_CHROMIUM)('what changes while it is open', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await aBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })

  test('P9: an approval of what is not there any more is refused, the card says what changed, and asks once more', async () => {
    const script = [{ calls: [effect('tc_1', 'one')] }, 'Done.']
    await using scene = await aScene({ script, policy: { default: 'prompt' } }, '--no-work')
    const started = await scene.project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
    const [{ id }] = await scene.holds(1)
    const page = await signedIn(browser, scene.url)
    // When the page begins to follow, it asks for the hold once more.
    const followed = page.waitForResponse('**/v1/changes')
    await page.goto(`${scene.url}/holds/${id}`)
    await followed
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await page.waitForTimeout(500)
    forge(scene.project, { command: 'echo other >> effects.log' })
    const approve = () => page.getByRole('button', { name: 'Approve', exact: true }).click()
    await approve()
    await page.getByText('This is not what you were shown.').waitFor()
    await page.getByText('This changed while you had it open.').waitFor()
    const article = page.getByRole('article')
    await article.getByText('arguments.command').waitFor()
    expect(await article.textContent()).toMatch(/as you opened it: echo one.*now: echo other/)
    expect((await scene.server.send(`/v1/holds/${id}?view=plain`)).json.status).toBe('open')
    await approve()
    await page.getByText('It changed while you had it open.').waitFor()
    await page.getByRole('button', { name: 'Yes, approve it' }).click()
    await page.getByText('You approved it').waitFor()
    expect(faultsOf(page)).toEqual([])

    // The journal has what the agent asked: that is not what was approved, so nothing runs.
    await scene.project.holdpoint('-c', started.json.checkpoint_id, '--pause-on-approval')
    expect(await scene.project.effects()).toEqual([])
    await page.getByText('It is asked about again.').waitFor()
  })

  test('P9: a tool that changes while its call waits is asked about again, with the difference, from the card itself', async () => {
    const calls = [{ id: 'tc_1', name: 'pay', args: { order: '7', amount: 250 } }]
    const config = { agent: 'support' }
    const files = { [AGENT]: agentWith('euros'), 'script.json': JSON.stringify([{ calls }, 'Paid.']) }
    await using project = await aProject({ files, config, policy: { default: 'prompt' } })
    await project.holdpoint('trust', '--yes')
    const first = await aServer(project)
    await first.send('/v1/threads', { body: { input: 'pay it back' } })
    await expect.poll(async () => (await first.send('/v1/holds')).json.holds.length).toBe(1)
    const page = await signedIn(browser, first.url)
    await page.getByRole('link', { name: /order: 7/ }).click()
    await page.getByText('In euros.').first().waitFor()

    await first[Symbol.asyncDispose]()
    await project.write(AGENT, agentWith('cents'))
    await project.holdpoint('trust', '--yes')
    await using second = await aServer(project, '--port', new URL(first.url).port)
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByRole('link', { name: 'Look at what waits now' }).click()
    await page.getByText('Different from what was asked before').waitFor()
    await page.getByText('schema.properties.amount.description').waitFor()
    expect(await page.getByRole('article').textContent()).toMatch(/asked before: In euros\..*asked now: In cents\./)
    expect(await project.effects()).toEqual([])
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('You approved it').waitFor()
    await expect.poll(() => project.effects()).toEqual(['250 cents'])
    expect(second.url).toBe(first.url)
    expect(faultsOf(page)).toEqual([])
  })
})
