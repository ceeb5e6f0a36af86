/** The agent `starter`, with two tools of its own. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AgentOptions, defineAgent, defineTool } from 'holdpoint'

const listPrices = defineTool({
  name: 'list_prices',
  description: 'Tells the price of each product.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  // It changes nothing, so nobody is asked. A tool that does not say so asks.
  needsApproval: false,
  execute: (_, { workdir }) => readPrices(workdir),
})

const changePrice = defineTool({
  name: 'change_price',
  description: 'Raises or lowers the price of a product.',
  // JSON Schema, or a schema of zod (`npm install zod`), which gives the arguments their types.
  inputSchema: {
    type: 'object',
    properties: { product: { type: 'string' }, by: { type: 'number' } },
    required: ['product', 'by'],
    additionalProperties: false,
  },
  // What people read first of a call.
  title: ({ product, by }) => `${by < 0 ? 'Lower' : 'Raise'} the price of ${product} by ${Math.abs(by)}`,
  needsApproval: true,
  // What people see before they decide. It has no effect, and an approval is of what it shows.
  preview: async ({ product, by }, { workdir }) => {
    const prices = await readPrices(workdir)
    const [before, after] = [textOf(prices), textOf(changed(prices, product, by))]
    return [{ type: 'diff', title: 'prices.json', before, after }]
  },
  execute: async ({ product, by }, { workdir }) => {
    const prices = changed(await readPrices(workdir), product, by)
    await writeFile(join(workdir, 'prices.json'), textOf(prices))
    return `${product} costs ${prices[product]} now`
  },
})

export const options = {
  name: 'starter',
  // A real one: 'anthropic/claude-sonnet-4-5', with its key in ANTHROPIC_API_KEY.
  model: 'script:script.yaml',
  instructions: 'You keep the prices of a shop. Look at them before you change one.',
  tools: [listPrices, changePrice],
} satisfies AgentOptions

export default defineAgent(options)

type Prices = Readonly<Record<string, number>>

function changed(prices: Prices, product: string, by: number): Prices {
  const price = prices[product]
  if (price === undefined) throw new Error(`There is no price of ${product}.`)
  return { ...prices, [product]: price + by }
}

async function readPrices(workdir: string): Promise<Prices> {
  return JSON.parse(await readFile(join(workdir, 'prices.json'), 'utf8'))
}

function textOf(prices: Prices): string {
  return `${JSON.stringify(prices, null, 2)}\n`
}
