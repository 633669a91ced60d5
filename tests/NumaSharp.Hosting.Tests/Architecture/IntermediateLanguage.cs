using System.Buffers.Binary;
using System.Reflection.Emit;

namespace NumaSharp.Hosting.Tests.Architecture;

/// <summary>Reads the code of methods (ECMA-335, III).</summary>
internal static class IntermediateLanguage
{
    private static readonly Dictionary<int, OpCode> s_codes = typeof(OpCodes).GetFields()
        .Select(static field => (OpCode)field.GetValue(null)!)
        .ToDictionary(static code => code.Value & 0xFFFF);

    /// <summary>The tokens of the members and types that a method's instructions name, in their order.</summary>
    public static List<int> TokensOf(ReadOnlySpan<byte> code)
    {
        var tokens = new List<int>();
        while (code.Length > 0)
        {
            var isLong = code[0] == 0xFE;
            var operand = s_codes[isLong ? 0xFE00 | code[1] : code[0]].OperandType;
            code = code[(isLong ? 2 : 1)..];
            switch (operand)
            {
                case OperandType.InlineField or OperandType.InlineMethod or OperandType.InlineType or OperandType.InlineTok:
                    tokens.Add(BinaryPrimitives.ReadInt32LittleEndian(code));
                    code = code[sizeof(int)..];
                    break;
                case OperandType.InlineSwitch:
                    code = code[(sizeof(int) * (1 + BinaryPrimitives.ReadInt32LittleEndian(code)))..];
                    break;
                default:
                    code = code[SizeOf(operand)..];
                    break;
            }
        }

        return tokens;
    }

    private static int SizeOf(OperandType operand) => operand switch
    {
        OperandType.InlineNone => 0,
        OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
        OperandType.InlineVar => 2,
        OperandType.InlineI8 or OperandType.InlineR => 8,
        _ => 4,
    };
}
