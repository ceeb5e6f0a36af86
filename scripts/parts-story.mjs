/**
 * Stories of messages made of parts, over the built library: `node parts-story.mjs ROOT STORY DIRECTORY` plays one into
 * `store.db` in the directory, and `node parts-story.mjs ROOT` lists them. Recorded from the fourth generation on.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [root, title, directory] = process.argv.slice(2)
const load = file => import(pathToFileURL(join(root, 'dist', file)).href)
const { defineAgent, defineTool, openHoldpoint, toolParts } = await load('index.js')
const { scriptedModel } = await load('testing/index.js')

const TEXT = { type: 'text', text: 'See this.' }
const IMAGE = { type: 'image', media_type: 'image/png', data: 'iVBORw0KGgo=' }
const FILE = { type: 'file', media_type: 'application/pdf', name: 'a.pdf', data: 'JVBERi0=' }

/** A scripted model that thinks before it speaks, and signs its thoughts. */
function thinkingModel(script) {
  const model = scriptedModel(script)
  return {
    ...model,
    async answer(request) {
      const answer = await model.answer(request)
      const thought = { type: 'reasoning', text: 'Hm.', metadata: { anthropic: { signature: 'signed' } } }
      const text = answer.text === '' ? [] : [{ type: 'text', text: answer.text }]
      const calls = answer.calls.map(({ id }) => ({ type: 'tool_call', id }))
      return { ...answer, parts: [thought, ...text, ...calls] }
    },
  }
}

const look = defineTool({
  name: 'look',
  inputSchema: { type: 'object' },
  needsApproval: false,
  idempotent: true,
  execute: () => toolParts([TEXT, IMAGE]),
})
const pay = defineTool({ name: 'pay', inputSchema: { type: 'object' }, needsApproval: true, execute: () => 'paid' })

const SCRIPT = [
  { text: 'Let me look.', calls: [{ id: 'see', name: 'look', args: {} }] },
  { calls: [{ id: 'buy', name: 'pay', args: {} }] },
  'Done.',
]

async function startAndPause(holdpoint) {
  const run = await holdpoint.start({ agent: 'buyer', input: [TEXT, IMAGE], author: 'ana' })
  await holdpoint.advance(run.id)
  return run
}

async function decide(holdpoint, run, decision) {
  const [hold] = await holdpoint.holds({ run_id: run.id, status: 'open' })
  await holdpoint.decide(hold.id, {
    decided_by: 'ana',
    surface: 'code',
    reason: null,
    decision_id: 'click-1',
    ...decision,
  })
  await holdpoint.advance(run.id)
}

const STORIES = {
  'parts that wait for an approval': startAndPause,
  'parts and a message named by its id': async holdpoint => {
    const run = await startAndPause(holdpoint)
    const message = { parts: [TEXT, FILE], author: 'ben', inputId: 'input-1' }
    for (const _ of [1, 2]) await holdpoint.send(run.thread_id, message, { whileWaiting: 'queue' })
    await decide(holdpoint, run, { verdict: 'approve' })
  },
  'parts, and a call that is rejected': async holdpoint => {
    const run = await startAndPause(holdpoint)
    await decide(holdpoint, run, { verdict: 'reject', reason: 'too dear' })
  },
}

if (title === undefined) console.log(JSON.stringify(Object.keys(STORIES)))
else {
  const buyer = defineAgent({ name: 'buyer', model: thinkingModel(SCRIPT), tools: [look, pay] })
  await using holdpoint = await openHoldpoint({
    store: `sqlite:${join(directory, 'store.db')}`,
    directory,
    agents: [buyer],
  })
  await STORIES[title](holdpoint)
}
