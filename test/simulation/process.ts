/** One process of a simulated life: the real runtime, on a store, a clock and an agent that can die with it. */
import { agentRegistry } from '../../src/hosts/compose/compose.ts'
import { systemIds } from '../../src/hosts/process/system-ids.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Ids } from '../../src/ports/ids.ts'
import type { Store } from '../../src/ports/store/store.ts'
import type { Holdpoint } from '../../src/runtime/face/holdpoint.ts'
import { EmbeddedHoldpoint } from '../../src/runtime/holdpoint.ts'
import type { AdvanceOptions, AdvanceResult } from '../../src/runtime/views/face-options.ts'
import { validateJson } from '../../src/tools/define/json-schema.ts'
import { agentOf, type Scene } from './cast.ts'
import { noteOpen, onBehalfOf, type Tale } from './ledger.ts'
import { type Mortality, mortalStore, skewOf } from './mortal-store.ts'
import { GROUPS } from './plot-people.ts'
import type { Scheduler } from './scheduler.ts'

const noTasks = () => Promise.reject(new Error('there are no tasks here'))

export interface ProcessOptions extends Scene {
  readonly store: Store
  readonly ids: Ids
  readonly hears: Mortality['hears']
  readonly hands: Mortality['hands']
  readonly kind: Mortality['kind']
  /** Whether it knows of that owner that it is gone. */
  readonly isGone: (owner: string) => boolean
  /** Whether it knows of that owner that it lives: on one machine it does. */
  readonly isAlive: (owner: string) => boolean
}

export class SimulatedProcess {
  readonly scene: Scene
  readonly holdpoint: Holdpoint
  /** Stops of the advances under way. */
  readonly stops: Set<AbortController> = new Set()
  readonly clock: Clock
  readonly #store: Store
  /** The time by which the store judges what this process does. */
  readonly storeNow: () => number

  constructor(options: ProcessOptions) {
    const { store, life, scheduler, ledger, ids, isGone, isAlive, hands, hears, kind } = options
    const { answers } = options.plot.people
    this.scene = options
    this.#store = store
    this.clock = clockOf(options)
    this.storeNow = () => scheduler.now + skewOf(options)
    this.holdpoint = new EmbeddedHoldpoint(
      {
        store: mortalStore(store, { life, scheduler, hands, ledger, hears, kind }),
        agents: agentRegistry({
          agents: [agentOf(options)],
          directory: '/',
          env: {},
          groups: GROUPS,
          approvalAnswers: answers,
        }),
        clock: this.clock,
        ids,
        liveness: { self: life.name, isGone, isAlive, running: new Map() },
        checkSchema: validateJson,
        // No life is as long as a journal of which a fold is kept otherwise.
        keepFoldAfter: { working: 6, resting: 3 },
        flushed: thread => ledger.see({ is: 'flushed', thread: structuredClone(thread) }),
        tell: event => {
          if ('ephemeral' in event) return
          const tale = onBehalfOf.getStore()?.tale ?? null
          ledger.see({ is: 'told', event, tale, place: tale ? tale.told.push(event) - 1 : 0 })
        },
      },
      noTasks,
    )
  }

  /** Somebody does something here; what is thrown is looked at by the observer. */
  begin(by: string, act: () => Promise<void>): void {
    const { life, ledger } = this.scene
    const context = { life, tale: null }
    onBehalfOf.run(context, act).catch((thrown: unknown) => {
      if (life.state !== 'dead') ledger.see({ is: 'thrown', by, thrown })
    })
  }

  /** A turn of its own. */
  async turn(place: string): Promise<void> {
    await this.scene.scheduler.point(this.scene.life, place)
  }

  /** `null` where it threw. */
  async advance(run_id: string, options: AdvanceOptions): Promise<AdvanceResult | null> {
    const { life, ledger } = this.scene
    const stop = new AbortController()
    this.stops.add(stop)
    const decisions = new Set((options.decisions ?? []).flatMap(({ decision_id }) => decision_id ?? []))
    const thread_id = (await this.#store.run(run_id))?.thread_id ?? ''
    const tale: Tale = { life, run_id, thread_id, told: [], decisions, signal: stop.signal, open: new Map() }
    try {
      const advance = () => this.holdpoint.advance(run_id, { ...options, signal: stop.signal })
      const result = await onBehalfOf.run({ life, tale }, advance)
      ledger.see({ is: 'advanced', tale, result })
      return result
    } catch (thrown) {
      ledger.see({ is: 'thrown', by: 'advance', thrown })
      return null
    } finally {
      this.stops.delete(stop)
    }
  }
}

function clockOf({ scheduler, life }: Scene): Clock {
  return {
    now: () => scheduler.now + life.skew,
    steady: () => scheduler.now,
    sleep: async (ms, signal) => {
      using _timer = noteOpen(`a timer of ${ms} ms`, NOTHING)
      await scheduler.sleep(life, ms, signal)
    },
  }
}

/** The same ids in each life. */
export function countedIds(): Ids {
  let count = 0
  const next = (letters: number) => {
    count += 1
    return String(count).padStart(letters, '0')
  }
  return {
    next: kind => (kind === 'checkpoint' ? `cp_${next(10)}` : `${PREFIXES[kind]}_${next(16)}`),
    digest: systemIds.digest,
    secret: () => `hp_${next(43)}`,
  }
}

const PREFIXES = {
  thread: 'th',
  run: 'run',
  hold: 'hold',
  decision: 'dec',
  grant: 'grant',
  task: 'task',
  bundle: 'bundle',
  token: 'token',
  notice: 'ntc',
  session: 'session',
  subscription: 'push',
  copy: 'copy',
} as const

/**
 * The one timer that the runtime takes from Node keeps leases alive. While a life is simulated it belongs to the
 * process that set it, and to the hand clock.
 */
export function takeTimers(scheduler: Scheduler): Disposable {
  const { setInterval, clearInterval } = globalThis
  const taken = new Map<unknown, Disposable>()
  const begin = (callBack: () => void, ms: number) => {
    const life = onBehalfOf.getStore()?.life
    if (!life) return setInterval(callBack, ms)
    const timer = { unref: () => timer }
    // One that only keeps a process from ending is nothing that happens.
    const ticking = ms < A_DAY ? scheduler.every(life, ms, callBack) : NOTHING
    taken.set(timer, noteOpen(`a timer of ${ms} ms`, ticking))
    return timer
  }
  const end = (timer: unknown) => {
    taken.get(timer)?.[Symbol.dispose]()
    if (!taken.delete(timer)) clearInterval(timer as NodeJS.Timeout)
  }
  Object.assign(globalThis, { setInterval: begin, clearInterval: end })
  return { [Symbol.dispose]: () => void Object.assign(globalThis, { setInterval, clearInterval }) }
}

const A_DAY = 86_400_000
const NOTHING: Disposable = { [Symbol.dispose]: () => {} }

/** What is imported only when first needed is imported before a life begins: there it would come at any time. */
export async function warmUp(): Promise<void> {
  await (await import('../../src/stores/open-store.ts')).openStore('memory:', {
    clock: { now: () => 0 },
    directory: '/',
  })
  await validateJson({ type: 'object' }, {}, 'value')
  await import('../../src/runtime/seldom-verbs.ts')
}
