using System.Reflection;
using NumaSharp.Core;
using NumaSharp.Plugins.Windows.Interop;

namespace NumaSharp.Plugins.Windows.Tests.Interop;

public sealed class Win32ResultsTests
{
    [Theory]
    [InlineData(0, NumaFailure.None, "")]
    [InlineData(5, NumaFailure.NotPermitted, "ERROR_ACCESS_DENIED")]
    [InlineData(1314, NumaFailure.NotPermitted, "ERROR_PRIVILEGE_NOT_HELD")]
    [InlineData(50, NumaFailure.NotSupported, "ERROR_NOT_SUPPORTED")]
    [InlineData(120, NumaFailure.NotSupported, "ERROR_CALL_NOT_IMPLEMENTED")]
    [InlineData(127, NumaFailure.NotSupported, "ERROR_PROC_NOT_FOUND")]
    [InlineData(87, NumaFailure.InvalidArgument, "ERROR_INVALID_PARAMETER")]
    [InlineData(487, NumaFailure.InvalidArgument, "ERROR_INVALID_ADDRESS")]
    [InlineData(8, NumaFailure.OutOfMemory, "ERROR_NOT_ENOUGH_MEMORY")]
    [InlineData(1455, NumaFailure.OutOfMemory, "ERROR_COMMITMENT_LIMIT")]
    [InlineData(6, NumaFailure.Other, "Win32 error 6")]
    public void From_Error_IsItsKindWithTheSystemsName(int error, NumaFailure failure, string name) =>
        Assert.Equal(new NumaResult(failure, error, name), Win32Results.From(error));

    [Fact]
    public void NameOf_EveryConstant_IsItsName()
    {
        var constants = typeof(Win32Error).GetFields(BindingFlags.Public | BindingFlags.Static);
        Assert.NotEmpty(constants);
        Assert.All(constants, static field => Assert.Equal(field.Name, Win32Error.NameOf((int)field.GetRawConstantValue()!)));
    }
}
