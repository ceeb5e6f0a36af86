/** The agents of the corpus. The shop's tools have titles, previews of each kind, and a risk. */
import type { Asking } from './day-calls.ts'

const TOOLS = `import { appendFile } from 'node:fs/promises'
import { defineTool } from 'holdpoint'

const SIGN = 'iVBORw0KGgoAAAANSUhEUgAAAHgAAAAwCAIAAABVDSmEAAAAjUlEQVR42u3bsQ3AIAwEQMbJEKkZgulYLZNADykiITmF7/UlUFxlgShDQlIQgAYtoEGDlh+hn3rrSUGDBq2gQYMGDRr02/6r9aX7IRnWgAYN+gt0ctZ9DWjQoEGDBg3aeGeOBg0aNGjQoN11GO9AgwYN2puhx1nQoEGDVtCgQYMOhpagPywCGrSABp0oE0SEX3E5u0krAAAAAElFTkSuQmCC'
const text = { type: 'string' }
const number = { type: 'number' }
const object = properties => ({ type: 'object', properties, required: Object.keys(properties) })
const made = (name, properties, more) =>
  defineTool({
    name,
    inputSchema: object(properties),
    needsApproval: true,
    execute: async (args, { workdir }) => {
      await appendFile(workdir + '/effects.log', name + '\\n')
      return 'done: ' + name
    },
    ...more,
  })

export const tools = [
  made('refund', { order: text, amount: number, day: text }, {
    title: ({ order, amount }) => 'Refund order ' + order + ': ' + amount + ' EUR',
    risk: ({ amount }) => (amount > 500 ? 'high' : 'ordinary'),
    preview: ({ order, amount }) => ({
      parts: [{
        type: 'table', title: 'Order ' + order, columns: ['Item', 'Paid', 'Back'],
        rows: [['Running shoes', String(amount + 20), String(amount)], ['Postage', '4.90', '0']],
      }],
      basis: { order },
    }),
  }),
  made('pay_invoice', { to: text, iban: text, amount: number }, {
    title: ({ to, amount }) => 'Pay ' + amount + ' EUR to ' + to,
    risk: () => 'high',
  }),
  made('set_prices', { prices: { type: 'array', items: object({ sku: text, price: number }) } }, {
    title: ({ prices }) => 'Set ' + prices.length + ' prices',
    preview: ({ prices }) => ({
      parts: [{
        type: 'table', title: 'Prices', columns: ['Article', 'Now', 'Then'],
        rows: prices.map(({ sku, price }) => [sku, (price / 1.04).toFixed(2), price.toFixed(2)]),
      }],
      basis: prices.length,
    }),
  }),
  made('draw_sign', { text }, {
    title: ({ text }) => 'Print the sign "' + text + '"',
    preview: ({ text }) => ({
      parts: [
        { type: 'image', title: text, media_type: 'image/png', data: SIGN },
        { type: 'link', title: 'The sign at the printer', url: 'https://printer.example/signs/7' },
      ],
      basis: text,
    }),
  }),
  made('send_mail', { to: text, subject: text, body: text }, {
    title: ({ to, subject }) => 'Mail "' + subject + '" to ' + to,
    risk: ({ to }) => (to.startsWith('all@') ? 'high' : 'ordinary'),
    preview: ({ body }) => ({ parts: [{ type: 'text', title: 'The mail', text: body }], basis: body.length }),
  }),
  made('drop_table', { database: text, table: text }, { destructive: true, risk: () => 'high' }),
]
`

const OWN = new Set(['refund', 'pay_invoice', 'set_prices', 'draw_sign', 'send_mail', 'drop_table'])

/** An agent for each, as files of a project. One whose calls are of the shop's tools has those, and any other Holdpoint's. */
export function agentFiles(day: readonly Asking[]): Record<string, string> {
  return { 'tools.ts': TOOLS, ...Object.fromEntries(day.flatMap(filesOf)) }
}

function filesOf({ agent, text, calls }: Asking): [path: string, content: string][] {
  const isOwn = calls.some(({ name }) => OWN.has(name))
  const script = `script:${agent}.json`
  return [
    [`${agent}.json`, JSON.stringify([{ text, calls }, 'All of it is **done**.'])],
    isOwn
      ? [`.holdpoint/agents/${agent}.ts`, moduleOf(agent, script)]
      : [`.holdpoint/agents/${agent}.md`, `---\nmodel: ${script}\n---\n\nWork.\n`],
  ]
}

function moduleOf(agent: string, script: string): string {
  return `import { defineAgent } from 'holdpoint'
import { tools } from '../../tools.ts'

export default defineAgent({ name: '${agent}', instructions: 'Work.', model: '${script}', tools })
`
}
