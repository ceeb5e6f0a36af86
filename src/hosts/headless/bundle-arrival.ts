/**
 * `-c FILE`: a run that arrives from another store.
 * Keeps: a refusal precedes the import, and leaves the file as it is. One process takes the file before the import, and
 * uses it up after it. After a crash in between, all of it can be done again.
 */

import { isAbsolute, join, relative, resolve } from 'node:path'
import { RefusedError } from '../../core/errors.ts'
import { fold } from '../../core/journal/fold.ts'
import type { Run } from '../../core/journal/thread.ts'
import { bundleRefusals } from '../../core/refusals/bundle-refusals.ts'
import type { Profile, ProfileChanges } from '../../core/run/profile.ts'
import { StoreLocation } from '../../ports/store/store-location.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import type { Bundle } from '../../runtime/threads/bundles.ts'
import type { ProfileDeps } from '../agents/profile/run-profile.ts'
import { BundleFile } from '../bundles/bundle-file.ts'
import { bundleKey } from '../bundles/bundle-key.ts'
import { unsealBundle } from '../bundles/seal-bundle.ts'
import { openApp } from '../compose/compose.ts'
import { ProgressMeter } from '../display/progress-meter.ts'
import { actor } from '../process/actor.ts'
import type { Io } from '../process/io.ts'
import { refuseAgent } from '../process/lineage/refuse-agent.ts'
import { processLiveness } from '../process/process-liveness.ts'
import { argumentRefusals } from '../refusals/argument-refusals.ts'
import { isPlaceName, refusalOf } from './attend-run.ts'
import { planGoingOn, type ResumeRequest, type Scene } from './plan-resume.ts'
import type { RunRequest } from './run-request.ts'

const NOBODY: Pick<Scene, 'reporter'> = {
  reporter: { warn: () => {}, knows: () => {}, toldAt: () => {}, tidy: () => {} },
}

/** The output for the person, if any. */
interface Shown {
  readonly io: Io
  readonly isQuiet: boolean
}

/** A bundle that can be imported and resumed as it is asked for, as far as can be known without its store. */
export class BundleArrival {
  readonly #site: ProfileDeps
  readonly #file: BundleFile
  readonly #text: string
  readonly #bundle: Bundle
  readonly #resume: ResumeRequest

  private constructor(
    site: ProfileDeps,
    arrived: { file: BundleFile; text: string; bundle: Bundle; request: RunRequest },
  ) {
    const { file, text, bundle, request } = arrived
    const { thread_id, checkpoint_id } = bundle.header
    const { run } = fold(thread_id, bundle.thread.events)
    this.#site = site
    this.#file = file
    this.#text = text
    this.#bundle = bundle
    const moved = movedPaths((run as Run).profile, site.directory, request)
    this.#resume = { ...request, checkpoint: checkpoint_id, moved }
  }

  /** `null` if a checkpoint is named by its id. @throws RefusedError; then nothing was changed. */
  static async open(
    site: ProfileDeps,
    request: RunRequest,
    store: string,
    shown: Shown,
  ): Promise<BundleArrival | null> {
    const { checkpoint: word, keyFile } = request
    if (word === null || isPlaceName(word)) return null
    const { file: place, display } = new StoreLocation(store)
    const user = { liveness: processLiveness(), store: resolve(site.directory, place ?? display) }
    const file = BundleFile.find(resolve(site.directory, word), user)
    if (!file) throw argumentRefusals.unknownCheckpoint(word)
    refuseAgent(site.env, bundleRefusals.agentCannotImport)
    const key = await bundleKey(keyFile, site.env)
    const text = await file.read()
    const arrival = new BundleArrival(site, { file, text, bundle: await unsealBundle(text, key), request })
    await arrival.#rehearse(shown)
    return arrival
  }

  /** All of it, in a store that is forgotten: what is refused there, would have been refused here. */
  async #rehearse(shown: Shown): Promise<void> {
    const { directory, env, agents } = this.#site
    await using app = await openApp({ store: 'memory:', directory, env }, agents)
    await this.#import(app.holdpoint, { ...shown, label: 'Checking' })
    const plan = await planGoingOn({ app, site: this.#site, ...NOBODY }, this.#resume)
    if (this.#resume.fork) return
    const receipts = await app.holdpoint.decideMany(plan.decisions)
    const refused = receipts.filter(({ outcome }) => outcome !== 'recorded')
    if (refused.length > 0) throw refusalOf(refused)
  }

  /** Imports it into the store here. @throws RefusedError `already_imported` and the like; then the file is as it was. */
  async into(holdpoint: Holdpoint, { io, isQuiet }: Shown): Promise<ResumeRequest> {
    this.#file.take()
    try {
      if ((await this.#file.read()) !== this.#text) throw argumentRefusals.changedMeanwhile(this.#file.path)
      await this.#import(holdpoint, { io, isQuiet, label: 'Importing' })
    } catch (thrown) {
      if (!this.#mayGoOnAfter(thrown)) {
        this.#file.giveBack()
        throw thrown
      }
    }
    const used = this.#file.markUsed()
    if (!isQuiet) io.err(this.#notice(used))
    return this.#resume
  }

  /** A process that died between the import and its end did import it. A fork continues next to the imported run. */
  #mayGoOnAfter(thrown: unknown): boolean {
    const isHere = thrown instanceof RefusedError && thrown.code === 'already_imported'
    return isHere && (this.#file.wasLeft || this.#resume.fork)
  }

  async #import(holdpoint: Holdpoint, { io, isQuiet, label }: Shown & { readonly label: string }): Promise<void> {
    using meter = new ProgressMeter({ io, env: this.#site.env, json: isQuiet }, { label, unit: 'events' })
    const authenticated = this.#isEncrypted
    const by = actor(this.#site.env)
    await holdpoint.bundles.import(this.#bundle, {
      ...{ by, surface: 'cli', authenticated, changes: this.#resume.moved },
      onProgress: (events, of) => meter.tell(events, of),
    })
  }

  get #isEncrypted(): boolean {
    return this.#bundle.header.encryption !== null
  }

  #notice(used: string): string {
    const { bundle_id, thread_id } = this.#bundle.header
    const lines = [`holdpoint: imported ${bundle_id} (session ${thread_id}); its file is ${used} now.`]
    const paths = pathsIn(this.#resume.moved)
    if (paths.length > 0) lines.push(`  Its files are looked for here: ${paths.join(', ')}.`)
    if (!this.#isEncrypted)
      lines.push('  warning: it is not encrypted: whoever could write the file could have forged approvals in it.')
    return `${lines.join('\n')}\n`
  }
}

function pathsIn({ workdir, agent_file, model }: ProfileChanges): string[] {
  return [workdir, agent_file, model].flatMap(path => path ?? [])
}

const SCRIPT = 'script:'

/** Settings that a flag sets are kept. */
type Explicit = Pick<RunRequest, 'agent' | 'model' | 'workdir'>

/**
 * The files of a run on another machine. Paths below its project directory, or below the one in which it was started,
 * become paths below this one. All others stay. Its servers are those that are configured here.
 */
export function movedPaths(profile: Profile, directory: string, explicit: Explicit): ProfileChanges {
  const { agent_file, model, workdir, project, configured_in } = profile
  const roots = [project ?? workdir, ...(configured_in === undefined ? [] : [configured_in])]
  const moved = (path: string) => {
    const root = roots.find(each => isWithin(each, path))
    return root === undefined ? path : join(directory, relative(root, path))
  }
  const here = {
    project: directory,
    ...(configured_in !== undefined && { configured_in: directory }),
    ...(explicit.workdir === null && { workdir: moved(workdir) }),
    ...(explicit.agent === null && agent_file !== null && { agent_file: moved(agent_file) }),
    ...(explicit.model === null && model?.startsWith(SCRIPT) && { model: movedScript(model, moved) }),
  }
  const changed = Object.entries(here).filter(([key, value]) => profile[key as keyof Profile] !== value)
  return Object.fromEntries(changed)
}

function movedScript(model: string, moved: (path: string) => string): string {
  return `${SCRIPT}${moved(model.slice(SCRIPT.length))}`
}

function isWithin(directory: string, path: string): boolean {
  const way = relative(directory, path)
  return !isAbsolute(way) && way !== '..' && !way.startsWith('../')
}
