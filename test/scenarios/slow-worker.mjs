/**
 * A process that advances the run RUN in the store STORE once and prints what became of it. Its tools `slow` and `again`
 * (which is idempotent) write `begun TOOL CALL KEY` to `effects.log` and then take for ever, until they are told to stop:
 * then they write `stopped TOOL CALL`. With QUICK they end at once.
 */
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineAgent, defineTool, openHoldpoint } from '../../dist/index.js'
import { scriptedModel } from '../../dist/testing/index.js'

const { STORE, RUN, SCRIPT, QUICK } = process.env

function tool(name, idempotent) {
  return defineTool({
    name,
    inputSchema: { type: 'object' },
    needsApproval: false,
    idempotent,
    async execute(_args, { toolCallId, idempotencyKey, abortSignal, workdir }) {
      const write = line => appendFileSync(join(workdir, 'effects.log'), `${line}\n`)
      write(`begun ${name} ${toolCallId} ${idempotencyKey}`)
      if (QUICK) return 'done'
      const alive = setInterval(() => {}, 1000)
      await once(abortSignal, 'abort')
      clearInterval(alive)
      write(`stopped ${name} ${toolCallId}`)
      throw abortSignal.reason
    },
  })
}

const agent = defineAgent({
  name: 'worker',
  model: scriptedModel(JSON.parse(SCRIPT)),
  tools: [tool('slow', false), tool('again', true)],
})
await using holdpoint = await openHoldpoint({ store: `sqlite:${STORE}`, agents: [agent] })
try {
  const { status, termination, owner } = await holdpoint.advance(RUN)
  console.log(JSON.stringify({ status, termination, owner }))
} catch (thrown) {
  console.log(JSON.stringify({ thrown: thrown.code }))
}
