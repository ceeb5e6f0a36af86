/**
 * A process that works for the paying agent: `node graph-process.ts FILE EFFECTS WHERE DO [ID]`. `WHERE` it kills itself: `pay`
 * behind the effect, before the graph has its checkpoint; `end` behind the graph, before the journal has its result;
 * `nowhere`. It prints what came of it as JSON.
 */
import { openHoldpoint } from 'holdpoint'
import { payingAgent } from './house.ts'

const [file = '', effects = '', where = '', verb = '', id = ''] = process.argv.slice(2)
const dieAt = (place: string) => {
  if (place === where) process.kill(process.pid, 'SIGKILL')
}
const agent = payingAgent({
  effects,
  afterPay: () => dieAt('pay'),
  toAnswer: values => {
    dieAt('end')
    return String((values as { messages: { content: string }[] }).messages.at(-1)?.content)
  },
  idempotent: process.env['IDEMPOTENT'] === '1',
})
await using holdpoint = await openHoldpoint({ store: `sqlite:${file}`, agents: [agent] })
const said = { decided_by: `process ${process.pid}`, surface: 'test' }

const verbs: Readonly<Record<string, () => Promise<unknown>>> = {
  advance: () => holdpoint.advance(id),
  approve: async () => {
    const { outcome } = await holdpoint.decide(id, { verdict: 'approve', ...said })
    await holdpoint.advance((await holdpoint.hold(id))?.run_id ?? '')
    return outcome
  },
}
console.log(JSON.stringify(await verbs[verb]?.()))
