import type { RefusedError } from '../../core/errors.ts'
import type { Profile } from '../../core/run/profile.ts'
import type { OpenControls } from './control.ts'
import type { Model, ModelChoice } from './model.ts'
import type { Plugin } from './plugin.ts'
import type { Tool } from './tool.ts'

/** A server that cannot be used now, or a tool that is declared wrongly: an agent that does not need it runs without. */
export interface LeftOutTools {
  /** The name of the server, or of the tool. */
  readonly name: string
  /** The names of the tools that are missing begin with it. */
  readonly prefix: string
  readonly error: RefusedError
}

/** A profile come to life: what a run needs to take a step. */
export interface LoadedAgent {
  /**
   * The model of the run, or `other`. Opened when it is first asked, so that a run that needs no answer loads no provider.
   * @throws RefusedError if it cannot be opened here.
   */
  model(other?: ModelChoice): Promise<Model>
  readonly tools: ReadonlyMap<string, Tool>
  /** Default: none. */
  readonly leftOut?: readonly LeftOutTools[]
  /** In the order in which they act. */
  readonly plugins: readonly Plugin[]
  /** False once a tool that is defined elsewhere is no longer what it was here. Default: always true. */
  isCurrent?(): boolean
}

export interface AgentSource {
  /** Ends what was begun for agents that were loaded here. */
  [Symbol.asyncDispose]?(): Promise<void>
  /** The agents that are known by name. Default: none. */
  names?(): readonly string[]
  /** The profile of a new run of this agent. @throws RefusedError `unknown_agent` */
  profileOf(name: string): Profile
  /**
   * The profile with the agent's definition of now: fields that the definition sets replace those of the profile,
   * others stay. @throws RefusedError
   */
  currentProfile(profile: Profile): Promise<Profile>
  /**
   * With `controls`, the tools that steer tasks and holds work; without them, each of them refuses to run.
   * @throws RefusedError if the agent, one of its tools or its file is not there.
   */
  load(profile: Profile, controls?: OpenControls): Promise<LoadedAgent>
  /**
   * The plugins of the agent that `load` would give, without the work that only its tools need. Default: by `load`.
   * @throws RefusedError
   */
  plugins?(profile: Profile): Promise<readonly Plugin[]>
}
