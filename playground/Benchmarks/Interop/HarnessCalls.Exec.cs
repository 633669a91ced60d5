using System.Runtime.InteropServices;
using NumaSharp.Interop;

namespace NumaSharp.Playground.Benchmarks.Interop;

// execve(2): this process becomes another program; it returns only where that fails.
internal static partial class HarnessCalls
{
    public static SysResult Exec(string path, IEnumerable<string> arguments, IEnumerable<string> environment) =>
        SysResult.FromReturn(ExecVe(path, [.. arguments, null], [.. environment, null]));

    [LibraryImport("libc", EntryPoint = "execve", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int ExecVe(string path, string?[] arguments, string?[] environment);
}
