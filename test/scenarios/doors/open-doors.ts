/** A project, a server, and the doors of the product itself. */
import { expect } from 'vitest'
import { aProject, effect, type Project } from '../project.ts'
import { aServer, type ServerProcess } from '../server/server-process.ts'
import { commandLineDoor } from './command-line-door.ts'
import { type Door, once, type Raised } from './door.ts'
import { libraryDoor } from './library-door.ts'
import { mcpDoor } from './mcp-door.ts'
import { restDoor } from './rest-door.ts'

const script = [{ text: 'I will deploy.', calls: [effect('tc_1', 'applied')] }, 'Deployed.']

/** A person with a token of their own. */
export interface Bearer {
  readonly person: string
  readonly token: string
}

export class OpenDoors implements AsyncDisposable {
  readonly project: Project
  readonly server: ServerProcess
  readonly all: Door[] = []

  constructor(project: Project, server: ServerProcess) {
    this.project = project
    this.server = server
  }

  static async open(): Promise<OpenDoors> {
    const project = await aProject({ script, policy: { default: 'prompt' } })
    return OpenDoors.around(project, await aServer(project))
  }

  /** Of a project whose agent deploys. `deciders` are those of its configuration, which a program does not read. */
  static async around(
    project: Project,
    server: ServerProcess,
    options: { readonly deciders?: readonly string[] } = {},
  ): Promise<OpenDoors> {
    const doors = new OpenDoors(project, server)
    doors.all.push(
      commandLineDoor(project),
      await libraryDoor(project, options),
      restDoor(doors.server, await doors.bearer('rea')),
      await mcpDoor(doors.server, await doors.bearer('mia')),
    )
    return doors
  }

  async bearer(person: string): Promise<Bearer> {
    const { stdout } = await this.project.holdpoint('tokens', 'add', person, '--role', 'operator')
    return { person, token: stdout.trim() }
  }

  named(name: string): Door {
    return this.all.find(door => door.name === name) as Door
  }

  /** Raised at one door and decided at another one: one winner, and each door tells the same. */
  async story(from: string, at: string): Promise<void> {
    const before = await this.project.effects()
    const hold = await this.named(from).raise()
    const decider = this.named(at)
    await Promise.all(this.all.map(door => door.shows(hold)))
    const told = Promise.all(this.all.map(door => door.told(hold)))
    expect(await decider.decide(hold, 'approve')).toEqual({ won: true, winner: decider.person })
    for (const late of this.all.filter(door => door !== decider)) {
      const said = await late.decide(hold, 'reject')
      expect([late.name, said]).toEqual([late.name, { won: false, winner: decider.person }])
    }
    for (const name of await told) expect(name ?? decider.person).toBe(decider.person)
    expect(await this.#transcriptOf(hold)).toMatchObject([
      { role: 'user', content: 'deploy' },
      { role: 'assistant', content: 'I will deploy.', tool_calls: [{ id: 'tc_1' }] },
      { role: 'tool' },
      { role: 'assistant', content: 'Deployed.' },
    ])
    expect(await this.project.effects()).toEqual([...before, 'applied'])
  }

  /** Raised at one door and decided at all of them at the same moment. */
  async race(from: Door): Promise<void> {
    const hold = await from.raise()
    await Promise.all(this.all.map(door => door.shows(hold)))
    const said = await Promise.all(this.all.map(door => door.decide(hold, 'approve')))
    expect(said.filter(({ won }) => won)).toHaveLength(1)
    const winner = this.all[said.findIndex(({ won }) => won)]?.person
    expect(said.map(each => each.winner)).toEqual(this.all.map(() => winner))
    await this.#transcriptOf(hold)
  }

  /** Once the run is at its end: the transcript, which is the same through every door. */
  async #transcriptOf({ run_id, thread_id }: Raised): Promise<unknown> {
    await once(async () => (await this.server.send(`/v1/runs/${run_id}`)).json.termination)
    for (const door of this.all) expect([door.name, (await door.texts(thread_id)) ?? TEXTS]).toEqual([door.name, TEXTS])
    const all = await Promise.all(this.all.map(door => door.transcript(thread_id)))
    const [one, ...others] = all.filter(each => each !== null)
    for (const other of others) expect(other).toEqual(one)
    return one
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.all.map(door => door[Symbol.asyncDispose]()))
    await this.server[Symbol.asyncDispose]()
    await this.project[Symbol.asyncDispose]()
  }
}

const TEXTS = ['deploy', 'I will deploy.', 'Deployed.']
