// SPDX-License-Identifier: Apache-2.0
//
// Recorded by scripts/record-block-goldens.py with gguf 0.19.0: do not edit.

import CParleyKernels

/// Random blocks of a row, and the numbers they stand for according to llama.cpp.
struct MatmulGolden: Sendable {
    let type: parley_type
    let columns: Int
    /// In hexadecimal.
    let block: String
    let first: [Float]
    /// FNV-1a of all values as little-endian f32.
    let hash: UInt64

    static let all: [MatmulGolden] = [
        MatmulGolden(
            type: PARLEY_F16, columns: 64,
            block: "11187da301a996a2ac0e0ea3242c712a56b00bae79a067a578219021c72e1eabd5a4892e24283e2894a646ad4920951d"
                + "dbab5fa8619b0caa089de41c4a177ba69a27b4291b243da9af286ba6a029dcaada291c94feab05a48a19fc2249aa16ab"
                + "1c21f9a50722dc2847ad8322d62b9ea330a9d0287d22bc296ba4beaca29db5a5",
            first: [0.0019855499267578125, -0.01462554931640625, -0.039093017578125], hash: 0x849d03abdaeab06c),
        MatmulGolden(
            type: PARLEY_BF16, columns: 64,
            block: "1e3ca23c6dbcdc3c5e3cf2bcb0bcbdbcdd3c73bce03c303caabc25bc743ccebca0bc833c223c0e3c443c99bc593c53bc"
                + "c03ceb3cf13c1d3c27bc4c3c31bc093c213cd5bca2bc153c263c103cc53cfbbcc23c85bcf8bcb63c7c3c78bc393c713c"
                + "c1bc4fbc7dbc7d3ceb3c75bc7ebc323cf53cecbcb63cd33cee3c1ebc77bc1d3c",
            first: [0.0096435546875, 0.019775390625, -0.01446533203125], hash: 0xcae29111471b0d7a),
        MatmulGolden(
            type: PARLEY_Q4_0, columns: 64,
            block: "8529385d2dc516a21a0270c4257c6361a2536e9e10ddacb972de35814dc363a77353cc28",
            first: [0.0, 0.215606689453125, 0.215606689453125], hash: 0xfddd754daaac2a1f),
        MatmulGolden(
            type: PARLEY_Q4_1, columns: 64,
            block: "9c2d68a86a6e8a15d3236ecf926ca444e9db7f57b39d631f1ae92d8b8089e1df3d83403284f30dc2",
            first: [0.842041015625, 1.192626953125, 0.842041015625], hash: 0xf332f6b2bbdcb693),
        MatmulGolden(
            type: PARLEY_Q5_0, columns: 64,
            block: "032603ffa87fd2eb39645cc375e0282c2e27a9b248969eaa46baf0206af034219b2a5160b73997112881c16b",
            first: [0.046966552734375, 0.2583160400390625, -0.1643829345703125], hash: 0xe06e6663e2fe52d9),
        MatmulGolden(
            type: PARLEY_Q5_1, columns: 64,
            block: "68aa8a27a8102696ca7e8374f791f5d6afa9dcb2ad2cfab901ac61a9b31d715d3ad41a48bc19ca72f0da64921a8f215e",
            first: [-0.471038818359375, -0.671234130859375, -0.120697021484375], hash: 0x102ae086478f8299),
        MatmulGolden(
            type: PARLEY_Q8_0, columns: 64,
            block: "560de6b68be723500c9b3debb497a293145e4c239bacc0f8c3f5ade1846350c622b431ab22c187cadfff50b3a26b5fc2"
                + "3fbd79b61a30d4982c036c5738e1edeaaa3109fb",
            first: [-0.008467674255371094, -0.024100303649902344, -0.03810453414916992], hash: 0x279a1653b09e97fb),
        MatmulGolden(
            type: PARLEY_Q2_K, columns: 256,
            block: "139a8bb04fc7bb1630020b7dc558d68f94177c36243984437262f82142359bea83788d81a89a47468859fbc84a1381f5"
                + "cf8a854b7eabf2e5de39cec4c5b640cb0ba88f8676a220e9e10228268b657e1655298fa7",
            first: [0.0295257568359375, 0.4044342041015625, 0.0295257568359375], hash: 0x372b5af9f7a1f323),
        MatmulGolden(
            type: PARLEY_Q3_K, columns: 256,
            block: "66a31ca39de2d4d80230a3cde1a1dc1fe41618f89e95ccbba42fc4b246481530f3a949ec4d577a64b260f6f059ca5d3b"
                + "8b85f117bdb75ad7612a649503eddb63ef2bc6f9da7785f91967e402fb2211a08f40cece1e4491b16845e4999fab8285"
                + "625b9f88368a184f6dd49a247b28",
            first: [0.49005126953125, -0.49005126953125, 1.47015380859375], hash: 0xd9caba6f779244ef),
        MatmulGolden(
            type: PARLEY_Q4_K, columns: 256,
            block: "9830a2298e0d8233cf54a507f6e9fbfcfbb8e6ab3d5520c213fd69d0fafe1a5c2e09bbdd0e3c3aa47db5bfa493018861"
                + "c75af5575585a9613207bdb6ea3af9805d3c520564f24704a0994d31acb45a7e3d22919972acbaf8c0cd7ac7cd3f1449"
                + "4dfd8f8350368bbf4bd289e2d99c5a71b8fc56b741719335c3d4b4759c3faee74e8aca61fdca4e04cf7bf9c9d1c2b24d",
            first: [21.44732666015625, 15.41802978515625, 11.39849853515625], hash: 0x5ceead5367757813),
        MatmulGolden(
            type: PARLEY_Q5_K, columns: 256,
            block: "fa2d34aa030d0e9b9d41ba3c2b5b58cec206c6b721815ca19b05ea6c83b3d95cb80e1cf3c40dc3c2cedb5164ffb0c706"
                + "cb50f22067556272321ed37570dc315ffd57f0fba385217abc242fcbd2bfab20c519ec5fc035f638d4e09e24ee9ce28f"
                + "9056232436d64463906a9baf28fba9ca5835568f443bea9ac312634b34f97bdcdd16452ff5ff7bbb5ecbc816fa19119a"
                + "54324b40152da149ea7b345872fd62c8db3338ca6e125340c80de68911094113",
            first: [4.487060546875, 1.4053955078125, 1.9656982421875], hash: 0x58786bd81109dac0),
        MatmulGolden(
            type: PARLEY_Q6_K, columns: 256,
            block: "82a18e89caef1dc6cc9ad7115b257b8717b9edd73c7d909c2657658e9b29ad08460593ece7b5d12f0397b259b871b8ac"
                + "c5411c76808510928e3bcf960d10972803bd8503ae30b8f36fc955cf3bb88327148890abd83ba382b513d9bc565fdd24"
                + "36868bb366aca5b7804f74ff1e73bc46aea9376eac9a5622a627de03ddd0c50b60a3e8729505c22cde9713be7fb81931"
                + "9fde3ea090007789af979454d14877734599bbff5f3e11f50c7ae346134343f43e12c9372672eacb3d095b58cc2aedab"
                + "eed99ea6ee6e53d820429d61320a52f085ac",
            first: [-38.133544921875, 21.6090087890625, -22.880126953125], hash: 0x10250ec387ee093b),
        MatmulGolden(
            type: PARLEY_IQ4_NL, columns: 64,
            block: "92a0ca0525ee6aa502413a5c2c594d27d94e30216e855bea946f7a9948f49908cc3aa742",
            first: [-0.2231597900390625, 0.3124237060546875, 0.3124237060546875], hash: 0xb3932e037195b619),
        MatmulGolden(
            type: PARLEY_IQ4_XS, columns: 256,
            block: "85a9d0a1b1e40319b88e7ccf2289aebdf779138ae57792a6a6c949103e1d449bd792d1741636b7081fdd5107b85cf16d"
                + "131ebcb8a18069af6515d12c8455062815ed0140f678ba6282423223bed9130546ade15c4ca5f4142bd0b33277806937"
                + "78bbfe615183266a53b5590d26e6967635225ae8ca0070e22100c3231587105162dfeaa716a87e05",
            first: [1.336761474609375, 118.97177124023438, 70.84835815429688], hash: 0x7f5c2ed106f4aea7),
        MatmulGolden(
            type: PARLEY_MXFP4, columns: 64,
            block: "7ede8dc96433d50fde392e46bf52ce17757f9680b51393f6765475cc588edcc0b617",
            first: [-2.0, -1.5, -0.25], hash: 0xb2be39df702f8122),
        MatmulGolden(
            type: PARLEY_IQ2_XXS, columns: 256,
            block: "f6307d56089844faf978d6210d65f0225cc6006357d00876fb79d5562a376a78ea60dbdf845f1277d265336b2ed920a3"
                + "c9e600151ee68de4111b43ede7dd5205b9ed",
            first: [7.266998291015625, 2.325439453125, -2.325439453125], hash: 0x33c04408e68cb3cc),
        MatmulGolden(
            type: PARLEY_IQ2_XS, columns: 256,
            block: "d1a9d22654fbf81c34c377eba06647774a660cf5772493171857e9affc82baa1b3b981890054cb9de3466520b77b3608"
                + "ad7a239e6642b3ce7f8137e6a6616bc925d30c7687a451ea63c4",
            first: [3.5500526428222656, 1.136016845703125, -3.5500526428222656], hash: 0x3c1d395c6a9fc5f2),
        MatmulGolden(
            type: PARLEY_IQ2_S, columns: 256,
            block: "bb2299ab6ebc89de1af9ea29393a7bc7ca931d065bf3b3752bbfc810b7abbc3e3af0e6f666d93668d3fe4da57ec51cf4"
                + "ac7968f2579aee16db407159fe6e8cfe843356c17a28ac6b91fcbd10054ce8a5f66b",
            first: [1.9077329635620117, -0.35492706298828125, -0.35492706298828125], hash: 0x5bc9539cb1aa4d36),
        MatmulGolden(
            type: PARLEY_IQ3_XXS, columns: 256,
            block: "252453722da8e18c74c28d7d2e59b28ea5e641ce7d93bd7f1c9f73563ea5a96c31457ccbd369619301bdba76ce2f77f7"
                + "5cf00141bbb3447514fd71f5ef8664d6858f3c9306a04d0e8e36b48eb3d8b5620ed7e9f7e6b17c8f7aa41293f353cd9e"
                + "68c6",
            first: [0.3399810791015625, 1.6999053955078125, -2.3798675537109375], hash: 0x2f07685411c55dd8),
        MatmulGolden(
            type: PARLEY_IQ3_S, columns: 256,
            block: "eca4014091f07dd40bff6ef286f75c7740151ba6c970d2311a59c095501f5827926ab710b6377a34586c5b0d0a3927dd"
                + "6b351e3643f3efe97a5a48238b25ccab0d09d7fb89a5581c7d09b400a5419648e9eba75df80a877c0ec6f40e13fdb111"
                + "61bbd7a39b3ff5169599e90b92c3",
            first: [-1.82647705078125, -2.55706787109375, 3.28765869140625], hash: 0xfb047881b7184e19),
        MatmulGolden(
            type: PARLEY_IQ1_S, columns: 256,
            block: "482b83115a9b247cdab5934599edd3d4cc338c93c5a73a556fe131ce66ab0733edaa6644b96fbe23fbe57d488630d768"
                + "0443",
            first: [0.063995361328125, 0.063995361328125, 0.575958251953125], hash: 0x4b214f3929df1695),
        MatmulGolden(
            type: PARLEY_IQ1_M, columns: 256,
            block: "417a60d86cee76203a1a6eba3fe26ccec3c72e5a66dfccd47c4869ce94fd852db9eb6929fea97fa02212376b3dca5d32"
                + "960297c9d299552e",
            first: [-0.072998046875, -0.656982421875, 0.510986328125], hash: 0x12e8fdbac2e17d9f),
        MatmulGolden(
            type: PARLEY_TQ1_0, columns: 256,
            block: "e0891b2c4329777e76f66b5d3536b0856075b852c2f0a17aa502ee765638888aadc7e4e8d1f59136ce0fc26a020b51c7"
                + "294c8de8da27",
            first: [0.030670166015625, 0.0, -0.030670166015625], hash: 0x9b0a98578c29d432),
        MatmulGolden(
            type: PARLEY_TQ2_0, columns: 256,
            block: "0faa3a47cd37e183aba7b6b6f33cbe4d6c1bd538666ca42c34206a77ae53367c0aa320b9150555609965ca7d1d13839f"
                + "23264ebe150c9b7f6d06db2ed63076094fa4",
            first: [-0.033660888671875, -0.0168304443359375, -0.0168304443359375], hash: 0xc64a68e836325e00),
    ]
}
