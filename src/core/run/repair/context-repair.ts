import type { Amount } from '../../count.ts'

/** What a provider refused a request for. `unknown`: its words do not say. */
export type RefusedFor = 'overflow' | 'image' | 'schema' | 'order' | 'unknown'

/** The part of a request that was changed. `message` is a place in the messages of the thread, `part` one in it. */
export type RepairedPart =
  /** The tool is not offered as long as it has this schema. */
  | { readonly type: 'tool'; readonly name: string; readonly digest: string }
  /** An image or a file: a note has its place. */
  | { readonly type: 'part'; readonly message: Amount; readonly part: Amount }
  /** A note has the place of its text. */
  | { readonly type: 'message'; readonly message: Amount }
  /** The results of tools have this many characters of their beginning and their end. */
  | { readonly type: 'results'; readonly messages: readonly Amount[]; readonly keep: Amount }
  /** The model's thoughts in this answer are left out. */
  | { readonly type: 'thoughts'; readonly message: Amount }
  /** The model's thoughts in all answers before this place are left out. */
  | { readonly type: 'all_thoughts'; readonly to: Amount }

/** P12: a part that one provider refuses is left out of what that provider is sent, and of nothing else. */
export interface ContextRepair {
  /** `EVERY_PROVIDER` for a part that a person left out. */
  readonly provider: string
  /** `unfit`: by the rules of the provider, before it was asked. `dropped`: a person left it out. */
  readonly because: RefusedFor | 'unfit' | 'dropped'
  readonly what: RepairedPart
  /** The part in words of people, such as `the picture a.png`. */
  readonly label: string
  /** The reason, in the provider's words where it gave some. */
  readonly why: string
  /** The person who left it out. */
  readonly by?: string
}

export const EVERY_PROVIDER = '*'

/** How often one request is repaired. */
export const MOST_REPAIRS = 5

/** The provider of a model, as `anthropic` of `anthropic/claude-sonnet-4-5`. */
export function providerOf(model: string): string {
  const [provider = model] = model.split('/', 1)
  return provider
}

/** A tool as people know it, and the server that it belongs to. */
export function toolWords(name: string): string {
  const [server = '', ...tool] = name.split('__')
  return tool.length === 0 ? `the tool ${name}` : `the tool ${tool.join('__')} of the server ${server}`
}

/** A repair as a sentence. */
export function repairWords({ provider, what, label, why }: ContextRepair): string {
  const done = what.type === 'results' ? 'shortened in' : 'left out of'
  const [first = '', verb] = [label[0], label.endsWith('s') ? 'are' : 'is']
  const sent = provider === EVERY_PROVIDER ? 'models are sent' : `${provider} is sent`
  return `${first.toUpperCase()}${label.slice(1)} ${verb} ${done} what ${sent}: ${why.replace(/\.$/, '')}.`
}

/** True if a request was refused for it. What does not fit is known before, and is no try to repair a request. */
export function isOfRefusal({ because }: ContextRepair): boolean {
  return because !== 'unfit'
}

/**
 * The repairs of a thread after a run. Those that only tried what might help, in a request that got no answer, did not
 * help: what they left out is sent again.
 */
export function withoutVain(
  repairs: readonly ContextRepair[],
  { repaired, repairs: own }: { readonly repaired: number; readonly repairs: readonly ContextRepair[] },
): readonly ContextRepair[] {
  const last = repaired === 0 ? [] : own.filter(isOfRefusal).slice(-repaired)
  const vain = new Set(last.filter(({ because }) => because === 'unknown'))
  return vain.size === 0 ? repairs : repairs.filter(repair => !vain.has(repair))
}
