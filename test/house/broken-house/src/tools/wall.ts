export const wall: number = 1
