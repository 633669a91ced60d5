using NumaSharp.Interop;

namespace NumaSharp.Core;

/// <summary>Turns the outcome of a system call into an exception where execution cannot continue.</summary>
internal static class NumaResultExtensions
{
    public static void ThrowIfFailed(this SysResult result, string operation)
    {
        if (!result.Succeeded)
        {
            throw new NumaException(operation, NumaResults.From(result));
        }
    }
}
