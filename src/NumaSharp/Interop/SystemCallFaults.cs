using System.Runtime.CompilerServices;

namespace NumaSharp.Interop;

/// <summary>
/// The seam at which tests replace a system call by an error. Read once: without a source, compiled code has neither the call nor
/// the test for it (a static readonly reference is a constant to the JIT).
/// </summary>
internal static class SystemCallFaults
{
    /// <summary>
    /// The AppContext key of the source, set before the first call by a process that injects faults: a function of call name,
    /// descriptor and argument that returns the errno, or 0 for the real call. BCL types only: it is set without loading this
    /// assembly.
    /// </summary>
    public const string Key = "NumaSharp.SystemCallFaults";

    private static readonly Func<string, int, int, int>? s_source = AppContext.GetData(Key) as Func<string, int, int, int>;

    /// <summary>Whether a call is to fail instead of being executed.</summary>
    /// <param name="call">The call, named as in its man page.</param>
    /// <param name="descriptor">The first descriptor; -1 where the call has none.</param>
    /// <param name="fault">The error.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool Hit(string call, int descriptor, out SysResult fault) => Hit(call, descriptor, argument: 0, out fault);

    /// <param name="call">The call, named as in its man page.</param>
    /// <param name="descriptor">The first descriptor; -1 where the call has none.</param>
    /// <param name="argument">Distinguishes calls of one name: an option's number, an operation.</param>
    /// <param name="fault">The error.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool Hit(string call, int descriptor, int argument, out SysResult fault)
    {
        if (s_source is null)
        {
            fault = default;
            return false;
        }

        return Ask(s_source, call, descriptor, argument, out fault);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool Ask(
        Func<string, int, int, int> source, string call, int descriptor, int argument, out SysResult fault)
    {
        var errno = source(call, descriptor, argument);
        fault = errno == 0 ? default : SysResult.FromErrno(errno);
        return errno != 0;
    }
}
