using NumaSharp.Core;

namespace NumaSharp.Plugins.Windows.Interop;

/// <summary>The only conversion from Win32 errors to the failures common to all platforms.</summary>
internal static class Win32Results
{
    public static NumaResult From(int error) => error == Win32Error.ERROR_SUCCESS
        ? NumaResult.Success
        : new NumaResult(KindOf(error), error, Win32Error.NameOf(error));

    private static NumaFailure KindOf(int error) => error switch
    {
        Win32Error.ERROR_ACCESS_DENIED or Win32Error.ERROR_PRIVILEGE_NOT_HELD => NumaFailure.NotPermitted,
        Win32Error.ERROR_INVALID_FUNCTION
            or Win32Error.ERROR_NOT_SUPPORTED
            or Win32Error.ERROR_CALL_NOT_IMPLEMENTED
            or Win32Error.ERROR_PROC_NOT_FOUND => NumaFailure.NotSupported,
        Win32Error.ERROR_INVALID_PARAMETER or Win32Error.ERROR_INVALID_ADDRESS => NumaFailure.InvalidArgument,
        Win32Error.ERROR_NOT_ENOUGH_MEMORY
            or Win32Error.ERROR_OUTOFMEMORY
            or Win32Error.ERROR_NO_SYSTEM_RESOURCES
            or Win32Error.ERROR_WORKING_SET_QUOTA
            or Win32Error.ERROR_COMMITMENT_LIMIT
            or Win32Error.ERROR_NOT_ENOUGH_QUOTA => NumaFailure.OutOfMemory,
        _ => NumaFailure.Other,
    };
}
