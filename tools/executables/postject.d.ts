declare module 'postject' {
  /** Writes a resource into an executable (ELF, Mach-O or PE), and sets its fuse. */
  export function inject(
    file: string,
    resource: string,
    data: Buffer,
    options: { readonly sentinelFuse: string; readonly machoSegmentName?: string },
  ): Promise<void>
}
