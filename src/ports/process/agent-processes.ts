import type { PauseKind, Profile } from '../../core/run/profile.ts'

export interface AgentProcess {
  readonly argv: readonly string[]
  /**
   * The variables that it needs in addition to those of its starter. They may hold secrets, and no record keeps them.
   */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** A host's way to run agents as processes of their own. */
export interface AgentProcesses {
  /**
   * The process that goes on with a run until it rests. If another process advances the run, it waits. Then it exits as
   * every run does (docs/design/command-line.md#exit-codes). Its arguments contain no text of a person.
   */
  attend(run: { readonly checkpoint_id: string; readonly pause_on: readonly PauseKind[] }): AgentProcess
  /** The argument vector that runs a line of shell. */
  shell(command: string): readonly string[]
  /** The variables that commands of a run with this profile have otherwise than this process; `undefined`: not at all. */
  changesFor(profile: Profile): Promise<Readonly<Record<string, string | undefined>>>
  /** The limits for agents that a person or client starts, not a run. @throws RefusedError */
  bounds(): Promise<Profile>
  /**
   * The model's id in a form that works from every directory; a scripted model is a file that its parent may read.
   * @throws RefusedError `outside_workdir`
   */
  modelWithin(model: string, parent: Pick<Profile, 'model' | 'workdir'>): string
  /** An absolute path, links resolved, of a directory at or below `within`. @throws RefusedError `no_workdir`, `outside_workdir` */
  directoryWithin(path: string, within: string): string
  /** Finds the failures that can be known before a run is started. @throws RefusedError */
  rehearse(profile: Profile): Promise<void>
  /**
   * Checks like `rehearse`, for a run that goes on and without starting anything: can it go on in this process? @throws
   * RefusedError
   */
  rehearseResume(profile: Profile): Promise<void>
}
