import type { PauseKind, Profile } from '../../core/run/profile.ts'

export interface AgentProcess {
  readonly argv: readonly string[]
  /** The variables that it needs beside those of its starter. They may hold secrets, and no record keeps them. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** A host's way to run agents as processes of their own. */
export interface AgentProcesses {
  /**
   * The process that goes on with a run until it rests. If another process advances the run, it
   * waits. Then it exits as every run does (docs/design/command-line.md#exit-codes). It holds no words of a person.
   */
  attend(run: { readonly checkpoint_id: string; readonly pause_on: readonly PauseKind[] }): AgentProcess
  /** The argument vector that runs a line of shell. */
  shell(command: string): readonly string[]
  /** The variables that commands of such a run do not inherit. */
  withheldFrom(profile: Profile): Promise<Readonly<Record<string, undefined>>>
  /** The profile within which agents are started that no run starts. @throws RefusedError */
  bounds(): Promise<Profile>
  /** A model's id as it is found from everywhere; a scripted one is a file that its parent may read. @throws RefusedError `outside_workdir` */
  modelWithin(model: string, parent: Pick<Profile, 'model' | 'workdir'>): string
  /** An absolute path, links resolved, of a directory at or below `within`. @throws RefusedError `no_workdir`, `outside_workdir` */
  directoryWithin(path: string, within: string): string
  /** Finds what can be known to fail before a run is started. @throws RefusedError */
  rehearse(profile: Profile): Promise<void>
  /** As `rehearse`, for a run that goes on, and starting nothing: whether this is the place to go on from. @throws RefusedError */
  rehearseResume(profile: Profile): Promise<void>
}
