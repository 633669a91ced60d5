using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Plugins.Windows.Interop;

/// <summary>The Win32 errors that this assembly handles or names, with the system's own names (winerror.h).</summary>
internal static class Win32Error
{
    public const int ERROR_SUCCESS = 0;
    public const int ERROR_INVALID_FUNCTION = 1;
    public const int ERROR_ACCESS_DENIED = 5;
    public const int ERROR_NOT_ENOUGH_MEMORY = 8;
    public const int ERROR_OUTOFMEMORY = 14;
    public const int ERROR_GEN_FAILURE = 31;
    public const int ERROR_NOT_SUPPORTED = 50;
    public const int ERROR_INVALID_PARAMETER = 87;
    public const int ERROR_CALL_NOT_IMPLEMENTED = 120;
    public const int ERROR_INSUFFICIENT_BUFFER = 122;
    public const int ERROR_PROC_NOT_FOUND = 127;
    public const int ERROR_MORE_DATA = 234;
    public const int ERROR_INVALID_ADDRESS = 487;
    public const int ERROR_PRIVILEGE_NOT_HELD = 1314;
    public const int ERROR_NO_SYSTEM_RESOURCES = 1450;
    public const int ERROR_WORKING_SET_QUOTA = 1453;
    public const int ERROR_COMMITMENT_LIMIT = 1455;
    public const int ERROR_NOT_ENOUGH_QUOTA = 1816;

    public static string NameOf(int error) => error switch
    {
        ERROR_SUCCESS => nameof(ERROR_SUCCESS),
        ERROR_INVALID_FUNCTION => nameof(ERROR_INVALID_FUNCTION),
        ERROR_ACCESS_DENIED => nameof(ERROR_ACCESS_DENIED),
        ERROR_NOT_ENOUGH_MEMORY => nameof(ERROR_NOT_ENOUGH_MEMORY),
        ERROR_OUTOFMEMORY => nameof(ERROR_OUTOFMEMORY),
        ERROR_GEN_FAILURE => nameof(ERROR_GEN_FAILURE),
        ERROR_NOT_SUPPORTED => nameof(ERROR_NOT_SUPPORTED),
        ERROR_INVALID_PARAMETER => nameof(ERROR_INVALID_PARAMETER),
        ERROR_CALL_NOT_IMPLEMENTED => nameof(ERROR_CALL_NOT_IMPLEMENTED),
        ERROR_INSUFFICIENT_BUFFER => nameof(ERROR_INSUFFICIENT_BUFFER),
        ERROR_PROC_NOT_FOUND => nameof(ERROR_PROC_NOT_FOUND),
        ERROR_MORE_DATA => nameof(ERROR_MORE_DATA),
        ERROR_INVALID_ADDRESS => nameof(ERROR_INVALID_ADDRESS),
        ERROR_PRIVILEGE_NOT_HELD => nameof(ERROR_PRIVILEGE_NOT_HELD),
        ERROR_NO_SYSTEM_RESOURCES => nameof(ERROR_NO_SYSTEM_RESOURCES),
        ERROR_WORKING_SET_QUOTA => nameof(ERROR_WORKING_SET_QUOTA),
        ERROR_COMMITMENT_LIMIT => nameof(ERROR_COMMITMENT_LIMIT),
        ERROR_NOT_ENOUGH_QUOTA => nameof(ERROR_NOT_ENOUGH_QUOTA),
        _ => string.Create(CultureInfo.InvariantCulture, $"Win32 error {error}"),
    };
}

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
