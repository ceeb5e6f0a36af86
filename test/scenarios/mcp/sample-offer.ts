import { Underway } from '../../../src/async/underway.ts'
import { RefusedError } from '../../../src/core/errors.ts'
import type { Hold } from '../../../src/core/hold/hold.ts'
import type { JsonObject } from '../../../src/core/text/json.ts'
import type { Control, ControlContext } from '../../../src/ports/agent/control.ts'
import { instructions } from '../../../src/protocols/mcp/instructions.ts'
import type { Asking, Offer, ResourceSource } from '../../../src/protocols/mcp/offer/offer.ts'
import { validateJson } from '../../../src/tools/define/json-schema.ts'

const HINTS = { readOnly: true, destructive: false, idempotent: true, openWorld: false }
const NOTHING: JsonObject = { type: 'object', properties: {} }

/** A control of a test's own. */
export function aControl(
  name: string,
  call: Control['call'],
  more: Partial<Pick<Control, 'inputSchema' | 'outputSchema' | 'hints'>> = {},
): Control {
  return {
    name,
    title: `Sample ${name}`,
    description: `A sample: ${name}.`,
    inputSchema: NOTHING,
    outputSchema: { type: 'object' },
    hints: HINTS,
    call,
    ...more,
  }
}

/** Says who calls. */
export const whoAmI: Control = aControl(
  'who_am_i',
  async (_args, { actor, surface, runId }) => ({ actor, surface, runId }),
  {
    outputSchema: {
      type: 'object',
      properties: { actor: { type: 'string' }, surface: { type: 'string' }, runId: { type: ['string', 'null'] } },
      required: ['actor', 'surface', 'runId'],
    },
  },
)

export const repeat: Control = aControl(
  'repeat',
  async ({ word, times }) => ({ said: String(word).repeat(Number(times)) }),
  {
    inputSchema: {
      type: 'object',
      properties: { word: { type: 'string' }, times: { type: 'integer', minimum: 1 } },
      required: ['word', 'times'],
    },
  },
)

export const refuse: Control = aControl('refuse', async () => {
  throw new RefusedError('busy', 'This is never done.', { hint: 'Ask tomorrow.', details: { until: 'tomorrow' } })
})

/** Waits until nobody wants it any more; tells that it began, and that it ended. */
export class Waiting {
  readonly #began = Promise.withResolvers<ControlContext>()
  readonly #ended = Promise.withResolvers<void>()
  readonly began: Promise<ControlContext> = this.#began.promise
  readonly ended: Promise<void> = this.#ended.promise
  readonly control: Control = aControl('wait', async (_args, context) => {
    context.onProgress('one is running')
    context.onProgress('still one is running')
    this.#began.resolve(context)
    if (!context.signal.aborted)
      await new Promise(resolve => context.signal.addEventListener('abort', resolve, { once: true }))
    this.#ended.resolve()
    return { waited: true }
  })
}

export const SAMPLE_ITEMS: ResourceSource = {
  uri: 'holdpoint://items',
  one: 'item',
  title: 'Items',
  description: 'All items.',
  list: async () => [{ id: 'a/b' }],
  read: async id => (id === 'a/b' ? { id } : null),
  members: async () => [{ id: 'a/b', title: 'The only item' }],
}

export interface SampleOffer extends Partial<Omit<Offer, 'asking'>> {
  readonly asking?: Partial<Asking> | null
}

export function anOffer({ asking, ...more }: SampleOffer = {}): Offer & { readonly errors: Error[] } {
  const errors: Error[] = []
  return {
    version: '1.2.3',
    instructions: instructions({ runsAgents: false }),
    controls: [whoAmI, repeat, refuse],
    resources: [SAMPLE_ITEMS],
    asking: asking ? { ...NOBODY, ...asking } : null,
    running: null,
    checkSchema: validateJson,
    identify: name => ({ actor: `mcp:${name ?? 'unknown'}`, person: 'ana', role: 'admin', runId: null }),
    sealKey: crypto.getRandomValues(new Uint8Array(32)),
    underway: new Underway(),
    stopping: new AbortController().signal,
    onError: error => errors.push(error),
    errors,
    ...more,
  }
}

const NOBODY: Asking = {
  holdpoint: {
    hold: async () => null,
    decide: async () => {
      throw new RangeError('nobody was to decide')
    },
  },
  onShow: async (_hold: Hold) => {},
  visibleText: text => text,
  newDecisionId: () => `dec_${crypto.randomUUID()}`,
}
