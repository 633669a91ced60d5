namespace NumaSharp.Tests.Core.Memory;

/// <summary>The probe in a process of its own, which a shell has put under some limit first.</summary>
internal static class MemoryProbeProcess
{
    // Without its own limit the runtime reserves hundreds of gigabytes for its heap.
    private const string HeapLimit = "DOTNET_GCHeapHardLimit=0x8000000";

    /// <param name="limit">A shell command, such as <c>ulimit -v 1000</c>.</param>
    /// <param name="arguments">The probe's.</param>
    /// <returns>What it wrote.</returns>
    public static string Run(string limit, params string[] arguments) => Wait.For(ExternalProgram.RunAsync(
        "/bin/sh",
        [
            "-c", $"{limit} && export {HeapLimit} && exec \"$@\"", "sh", DotnetHost.Path,
            Path.Combine(AppContext.BaseDirectory, "NumaSharp.MemoryProbe.dll"), .. arguments,
        ]));
}
